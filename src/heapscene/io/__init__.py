"""From files to scenes, and from pictures to files.

In:   a path: glTF (``.gltf``, ``.glb``), or a mesh format that trimesh reads (OBJ, STL, PLY ...).
Out:  a :class:`~heapscene.scene.Scene`; for pictures, an image file.
Keeps: reading and building are separate. Readers give plain :class:`LoadedNode` trees, which need
       no scene graph to be tested; :func:`build_scene` turns one into nodes. What a file
       holds and we do not draw is said in one :class:`LoadWarning`. Failures are ``LoadError``.
"""

from heapscene.io.arrange import arrange_in_grid as arrange_in_grid
from heapscene.io.build import build_scene as build_scene
from heapscene.io.image import check_image_path as check_image_path
from heapscene.io.image import save_image as save_image
from heapscene.io.load import load as load
from heapscene.io.load import read_model as read_model
from heapscene.io.model import LoadedMaterial as LoadedMaterial
from heapscene.io.model import LoadedNode as LoadedNode
from heapscene.io.model import LoadedPart as LoadedPart
from heapscene.io.omitted import LoadWarning as LoadWarning
