"""From a Python function to a function of the IR.

In:    :class:`~heapscene.shader.stages.ShaderFunction`: syntax tree, resolved annotations, names.
Out:   :class:`~heapscene.shader.ir.nodes.Function`, or one exception with every fault under its
caret. Keeps: what Python and WGSL understand differently is refused, never reinterpreted.
"""

from heapscene.shader.frontend.lower import lower as lower
