"""What each operation computes, on arrays of 32-bit components.

In:    arrays of ``float32``, ``int32``, ``uint32`` or ``bool``. Out: arrays of the same kinds, one
function per operator and intrinsic. Keeps: integers wrap, floats round after every operation,
nothing warns or raises.
"""

from heapscene.shader.numeric.functions import FUNCTIONS as FUNCTIONS
from heapscene.shader.numeric.functions import WHOLE as WHOLE
from heapscene.shader.numeric.operators import DTYPES as DTYPES
from heapscene.shader.numeric.operators import OPERATORS as OPERATORS
from heapscene.shader.numeric.operators import UNARY as UNARY
from heapscene.shader.numeric.operators import converted as converted
from heapscene.shader.numeric.operators import product as product
