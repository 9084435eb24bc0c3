"""Shapes as plain arrays, and normals for geometry that has none.

In:   sizes and segment counts.
Out:  :class:`~heapscene.draw.Geometry` with ``position``, ``normal`` and ``uv``.
Keeps: shapes are centred, Y is up, triangles run counter-clockwise seen from outside, normals are
       unit vectors, ``uv`` starts at the top left, indices have the smallest type that fits.
"""

from heapscene.geometry.flat import box as box
from heapscene.geometry.flat import plane as plane
from heapscene.geometry.normals import flat_normals as flat_normals
from heapscene.geometry.normals import with_normals as with_normals
from heapscene.geometry.round import cone as cone
from heapscene.geometry.round import cylinder as cylinder
from heapscene.geometry.round import sphere as sphere
from heapscene.geometry.round import torus as torus
