"""7. A frame: from draws to a picture.

In:   draws from a :class:`~heapscene.draw.DrawSource`, a camera, a device.
Out:  pixels in a target, and a :class:`FrameReport` of what it cost.
Keeps: one indirect draw per (program, page, pipeline state); nothing is read back on the way; a still
       frame visits no object and uploads no byte.

Read ``heap_scene.py`` first: its three methods are one frame in order.
"""

from heapscene.render.heap_memory import Heap as Heap
from heapscene.render.heap_scene import HeapScene as HeapScene
from heapscene.render.renderer import Renderer as Renderer
from heapscene.render.renderer import render as render
from heapscene.render.report import FrameReport as FrameReport
from heapscene.render.targets import OffscreenTarget as OffscreenTarget
from heapscene.render.targets import Targets as Targets
from heapscene.render.validation import ValidationReport as ValidationReport
