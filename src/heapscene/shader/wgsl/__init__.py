"""From IR modules to WGSL text.

In:    :class:`~heapscene.shader.ir.Module`.
Out:   text that every WGSL compiler accepts.
Keeps: equal modules give equal text, in every process.
"""

from heapscene.shader.wgsl.emit import emit as emit
from heapscene.shader.wgsl.text import WgslText as WgslText
from heapscene.shader.wgsl.text import python_place as python_place
