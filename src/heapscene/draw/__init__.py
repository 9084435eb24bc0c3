"""3. The narrow waist: what to draw, as plain data.

In:   values and adaptive values, from a scene graph or from a user's own code.
Out:  :class:`Draw` and the :class:`DrawSource` protocol, read by the heap.
Keeps: draws are frozen; a change is an adaptive value inside, or a replacement.

A scene graph makes draws and does not know that a GPU exists; the renderer draws draws and
does not know that a scene graph exists. They meet here, and only here.
"""

from heapscene.draw.at_fault import as_given as as_given
from heapscene.draw.at_fault import at_fault as at_fault
from heapscene.draw.at_fault import geometry_at_fault as geometry_at_fault
from heapscene.draw.camera import CameraLike as CameraLike
from heapscene.draw.camera import CameraMatrices as CameraMatrices
from heapscene.draw.camera import Viewpoint as Viewpoint
from heapscene.draw.camera import camera_matrices as camera_matrices
from heapscene.draw.camera import depth_range as depth_range
from heapscene.draw.camera import fit_viewpoint as fit_viewpoint
from heapscene.draw.camera import look_at as look_at
from heapscene.draw.camera import orthographic as orthographic
from heapscene.draw.camera import perspective as perspective
from heapscene.draw.color import rgba as rgba
from heapscene.draw.draw import Draw as Draw
from heapscene.draw.draw import check_count as check_count
from heapscene.draw.draw import check_instances as check_instances
from heapscene.draw.draw import check_mapping as check_mapping
from heapscene.draw.draw import checked_draw as checked_draw
from heapscene.draw.draw import read_visible as read_visible
from heapscene.draw.encode import encode_all as encode_all
from heapscene.draw.encode import encode_rows as encode_rows
from heapscene.draw.encode import encode_value as encode_value
from heapscene.draw.encode import numpy_dtype as numpy_dtype
from heapscene.draw.geometry import Geometry as Geometry
from heapscene.draw.geometry import as_attribute as as_attribute
from heapscene.draw.geometry import as_indices as as_indices
from heapscene.draw.geometry import check_geometry as check_geometry
from heapscene.draw.limits import ANY_FINITE as ANY_FINITE
from heapscene.draw.limits import NOT_NEGATIVE as NOT_NEGATIVE
from heapscene.draw.limits import POSITIVE as POSITIVE
from heapscene.draw.limits import UNIT as UNIT
from heapscene.draw.limits import Limits as Limits
from heapscene.draw.limits import check_all_limits as check_all_limits
from heapscene.draw.limits import check_limits as check_limits
from heapscene.draw.limits import first_beyond as first_beyond
from heapscene.draw.material import Material as Material
from heapscene.draw.material import MaterialUser as MaterialUser
from heapscene.draw.material import WatchedMaterial as WatchedMaterial
from heapscene.draw.numbers import as_array as as_array
from heapscene.draw.numbers import holds_numbers as holds_numbers
from heapscene.draw.numbers import owned as owned
from heapscene.draw.place import check_places as check_places
from heapscene.draw.place import encode_place as encode_place
from heapscene.draw.place import encode_places as encode_places
from heapscene.draw.place import is_place as is_place
from heapscene.draw.place import refused_place as refused_place
from heapscene.draw.rows import Rows as Rows
from heapscene.draw.source import Drawable as Drawable
from heapscene.draw.source import DrawChange as DrawChange
from heapscene.draw.source import DrawReader as DrawReader
from heapscene.draw.source import DrawSource as DrawSource
from heapscene.draw.state import PipelineState as PipelineState
from heapscene.draw.table import DrawTable as DrawTable
from heapscene.draw.table_draw import TableDraw as TableDraw
from heapscene.draw.table_draw import TableReader as TableReader
from heapscene.draw.table_draw import TableRows as TableRows
