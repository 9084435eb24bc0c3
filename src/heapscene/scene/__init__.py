"""2. Nodes become draws.

In:   nodes that people make and assign to: values, or adaptive values.
Out:  :class:`~heapscene.draw.DrawChange` steps, through :meth:`Scene.draw_reader`; camera matrices.
Keeps: a node has one parent; draws keep the order of their arrival; only nodes that changed make
       a new draw, and plain values cost no adaptive node until they are assigned on a live object.
"""

from heapscene.scene.camera import OrthographicCamera as OrthographicCamera
from heapscene.scene.camera import PerspectiveCamera as PerspectiveCamera
from heapscene.scene.group import Container as Container
from heapscene.scene.group import Group as Group
from heapscene.scene.mesh import Mesh as Mesh
from heapscene.scene.node import Node as Node
from heapscene.scene.scene import Scene as Scene
from heapscene.scene.transform import Quaternion as Quaternion
from heapscene.scene.transform import compose as compose
from heapscene.scene.transform import rotation_x as rotation_x
from heapscene.scene.transform import rotation_y as rotation_y
from heapscene.scene.transform import rotation_z as rotation_z
