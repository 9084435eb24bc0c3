"""Draw a million independent, changing objects at the price of one merged mesh.

>>> import heapscene as hs
>>> color = hs.cval("steelblue")
>>> scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.PhongMaterial(color=color)))
>>> with hs.Renderer((320, 240)) as renderer:
...     before = renderer.render(scene)
...     color.value = "tomato"
...     after = renderer.render(scene)
...     print(renderer.report.bytes_uploaded)
16
"""

from heapscene import errors as errors
from heapscene import geometry as geometry
from heapscene._version import __version__ as __version__
from heapscene.adaptive import ADict as ADict
from heapscene.adaptive import AList as AList
from heapscene.adaptive import ASet as ASet
from heapscene.adaptive import AVal as AVal
from heapscene.adaptive import CDict as CDict
from heapscene.adaptive import CList as CList
from heapscene.adaptive import CSet as CSet
from heapscene.adaptive import CVal as CVal
from heapscene.adaptive import adopt_thread as adopt_thread
from heapscene.adaptive import alist as alist
from heapscene.adaptive import amap as amap
from heapscene.adaptive import aset as aset
from heapscene.adaptive import cdict as cdict
from heapscene.adaptive import clist as clist
from heapscene.adaptive import clock as clock
from heapscene.adaptive import computed as computed
from heapscene.adaptive import constant as constant
from heapscene.adaptive import cset as cset
from heapscene.adaptive import cval as cval
from heapscene.adaptive import post as post
from heapscene.adaptive import tick_clock as tick_clock
from heapscene.adaptive import transact as transact
from heapscene.adaptive import union_all as union_all
from heapscene.draw import Draw as Draw
from heapscene.draw import DrawTable as DrawTable
from heapscene.draw import Geometry as Geometry
from heapscene.draw import PipelineState as PipelineState
from heapscene.errors import HeapsceneError as HeapsceneError
from heapscene.io import load as load
from heapscene.io import save_image as save_image
from heapscene.materials import PhongMaterial as PhongMaterial
from heapscene.materials import UnlitMaterial as UnlitMaterial
from heapscene.render import FrameReport as FrameReport
from heapscene.render import Heap as Heap
from heapscene.render import HeapScene as HeapScene
from heapscene.render import Renderer as Renderer
from heapscene.render import Targets as Targets
from heapscene.render import ValidationReport as ValidationReport
from heapscene.render import render as render
from heapscene.scene import Group as Group
from heapscene.scene import Mesh as Mesh
from heapscene.scene import OrthographicCamera as OrthographicCamera
from heapscene.scene import PerspectiveCamera as PerspectiveCamera
from heapscene.scene import Scene as Scene
from heapscene.scene import rotation_x as rotation_x
from heapscene.scene import rotation_y as rotation_y
from heapscene.scene import rotation_z as rotation_z
from heapscene.shader import Program as Program

__all__ = [
    "ADict",
    "AList",
    "ASet",
    "AVal",
    "CDict",
    "CList",
    "CSet",
    "CVal",
    "Draw",
    "DrawTable",
    "FrameReport",
    "Geometry",
    "Group",
    "Heap",
    "HeapScene",
    "HeapsceneError",
    "Mesh",
    "OrthographicCamera",
    "PerspectiveCamera",
    "PhongMaterial",
    "PipelineState",
    "Program",
    "Renderer",
    "Scene",
    "Targets",
    "UnlitMaterial",
    "ValidationReport",
    "__version__",
    "adopt_thread",
    "alist",
    "amap",
    "aset",
    "cdict",
    "clist",
    "clock",
    "computed",
    "constant",
    "cset",
    "cval",
    "errors",
    "geometry",
    "load",
    "post",
    "render",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "save_image",
    "tick_clock",
    "transact",
    "union_all",
]


def __dir__() -> list[str]:
    return __all__
