"""A second execution of the IR: NumPy, all invocations at once.

In:    a function or compute entry point with arrays. Out: what each invocation returns, and what
was written to resources. Keeps: the arithmetic is that of :mod:`heapscene.shader.numeric`; nothing
loops over invocations.
"""

from heapscene.shader.interpret.memory import Bounds as Bounds
from heapscene.shader.interpret.run import Outcome as Outcome
from heapscene.shader.interpret.run import dispatch as dispatch
from heapscene.shader.interpret.run import interpret as interpret
