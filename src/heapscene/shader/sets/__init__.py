"""(side road) The values that a rule may return, found by running it on sets.

In:   a typed function of the shader language, and what is known of its inputs.
Out:  a :class:`ResultSet`: every value that it may return, or where that was lost.
Keeps: no value is missing on any GPU that computes as accurately as WGSL asks; the same answer in
       every process.

The folder in order: ``domain`` says what is known of a scalar, ``floats`` and ``integers`` compute
with it, ``transfer`` applies an operation; ``symbols`` are scalars as expressions of the inputs,
``refine`` turns a condition round, ``state`` is one path; ``expressions`` and ``walk`` go through
the IR, ``resolve`` lists the values.
"""

from heapscene.shader.sets.results import ResultSet as ResultSet
from heapscene.shader.sets.rule import Range as Range
from heapscene.shader.sets.rule import result_set as result_set
