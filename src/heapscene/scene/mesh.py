"""Mesh: a geometry drawn with a material."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from heapscene.adaptive import AVal, Reading, check_write, refuses
from heapscene.draw import (
    Draw,
    Drawable,
    Geometry,
    Material,
    WatchedMaterial,
    checked_draw,
    geometry_at_fault,
)
from heapscene.errors import InputError, explain
from heapscene.geometry import with_normals
from heapscene.scene.live import STALE, Entry, Live
from heapscene.scene.node import NO_TURN, ORIGIN, Placed, both, placed_under, shown, traced
from heapscene.scene.transform import IDENTITY
from heapscene.shader import Interface
from heapscene.typing import MatrixLike, Vec3Like
from heapscene.wording import brief, one_line

__all__ = ["Mesh"]


class _Kind(NamedTuple):
    watched: bool
    checked: bool


# what was found out about classes of materials: to ask a protocol takes as long as making a mesh
_kinds: dict[type, _Kind] = {}


class Mesh(Placed):
    """A geometry drawn with a material, once.

    Every property may be assigned at any time, and may be an adaptive value. Meshes that share a
    geometry, a material or an adaptive value share its memory.

    Parameters
    ----------
    geometry
        What to draw. If the material needs normals and the geometry has none, each triangle gets
        its own.
    material
        How it looks.
    position, rotation, scale
        Three numbers; a quaternion ``(x, y, z, w)`` or 3×3 matrix; a number or three.
    transform
        A 4×4 matrix instead of these.
    visible
        A hidden mesh costs nothing and keeps its memory and its place in the drawing order.

    Raises
    ------
    InputError
        A value has the wrong kind or shape.
    SceneError
        Both kinds of place are given.

    Examples
    --------
    >>> from heapscene.geometry import box
    >>> from heapscene.materials import PhongMaterial
    >>> cube = Mesh(box(), PhongMaterial(color=(1, 0.4, 0.3)), position=(0, 1, 0))
    >>> cube.position
    (0, 1, 0)
    """

    __slots__ = ("_entry", "_geometry", "_material")

    _instead = "Write hs.Mesh(m.geometry, m.material, position=m.position, rotation=m.rotation, scale=m.scale)."

    def __init__(
        self,
        geometry: Geometry | AVal[Geometry],
        material: Material | AVal[Any],
        *,
        position: Vec3Like | AVal[Any] = ORIGIN,
        rotation: Vec3Like | MatrixLike | AVal[Any] = NO_TURN,
        scale: float | Vec3Like | AVal[Any] = 1.0,
        transform: MatrixLike | AVal[Any] | None = None,
        visible: bool | AVal[bool] = True,
    ) -> None:
        Placed.__init__(self, position, rotation, scale, transform, visible)
        if type(geometry) is not Geometry:
            _check_geometry(geometry)
        if type(material) not in _kinds:
            _check_material(material)
        self._geometry = geometry
        self._material = material
        self._entry: Entry | None = None

    @property
    def geometry(self) -> Geometry | AVal[Geometry]:
        """What is drawn."""
        return self._geometry

    @geometry.setter
    def geometry(self, value: Geometry | AVal[Geometry]) -> None:
        check_write(self)
        _check_geometry(value)
        if value is not self._geometry:
            self._geometry = value
            self._changed()

    @property
    def material(self) -> Any:
        """How it looks: a material, or an adaptive value of one."""
        return self._material

    @material.setter
    def material(self, value: Material | AVal[Any]) -> None:
        check_write(self)
        _check_material(value)
        if value is not self._material:
            if self._entry is not None and isinstance(self._material, AVal):
                self._entry.live.sink.unwatch(self._material, self._entry)
            self._material = value
            self._changed()

    def __repr__(self) -> str:
        return one_line(f"Mesh({brief(self._geometry)}, {brief(self._material)})")

    @property
    def _used(self) -> bool:
        return self._entry is not None and self._entry.draw is not None

    def _wants_cell(self, name: str) -> bool:
        return name != "visible"

    def _changed(self, stale: int = STALE) -> None:
        if self._entry is not None:
            self._entry.live.touch((self._entry,), stale)

    def _enter(self, live: Live) -> Entry:
        self._entry = Entry(self, live)
        return self._entry

    def _leave(self) -> Entry | None:
        entry = self._entry
        if entry is not None and isinstance(self._material, AVal):
            entry.live.sink.unwatch(self._material, entry)
        self._entry = self._cells = None
        return entry

    def _invalidate(self) -> Entry | None:
        return self._entry

    def _make_draw(self, entry: Entry) -> Draw:
        parent = self._parent
        assert parent is not None
        world, above = parent._place()
        material: Any = self._material
        if isinstance(material, AVal):
            entry.live.sink.watch(material, entry)
            material = material.force()
            _check_material(material)
        program = material.program
        interface: Interface = program.interface
        kind = _kinds[type(material)]
        inputs: dict[str, Any] = material.inputs if kind.checked else dict(material.inputs)
        if "model" in interface.inputs:
            model = placed_under(world, self, checked=False)
            if type(model) is np.ndarray:
                model.flags.writeable = False
            inputs["model"] = IDENTITY if model is None else model
        shown = self._shown(above)
        state = material.state
        geometry = self._geometry
        if _needs_normals(interface) and state.topology == "triangle-list":
            geometry = _with_normals(geometry)
        if kind.checked:
            draw = checked_draw(program, geometry, inputs, shown, state)
        else:
            draw = Draw(program, geometry, inputs, visible=shown, state=state)
        if entry.material is not material:
            entry.material = material
            if kind.watched:
                material.watch(entry)
        return draw

    def _subject(self) -> Mesh:
        return self

    def _trace(self, reading: Reading) -> Reading:
        if not reading.name:  # no draw could be made
            material = self._material
            if isinstance(material, AVal) and refuses(material, _check_material):
                reading = Reading("material", None, material)
            else:
                reading = geometry_at_fault(self._geometry, None) or reading
        return traced(self, reading, shown(self))

    def _make_shown(self, entry: Entry, draw: Drawable) -> Draw:  # noqa: ARG002  others need it
        parent = self._parent
        assert parent is not None
        assert isinstance(draw, Draw)
        shown = self._shown(parent._place()[1])
        return checked_draw(draw.program, draw.geometry, draw.inputs, shown, draw.state)

    def _shown(self, above: bool | AVal[bool]) -> bool | AVal[bool]:
        if above is True and self._visible is True:
            return True
        return both(above, self._now("visible"))


def _needs_normals(interface: Interface) -> bool:
    return "normal" in interface.attributes and "normal" not in interface.attribute_defaults


def _with_normals(geometry: Geometry | AVal[Geometry]) -> Geometry | AVal[Geometry]:
    if isinstance(geometry, AVal):
        return geometry.map(with_normals)
    return with_normals(geometry)


def _check_geometry(value: Any) -> None:
    if not isinstance(value, (Geometry, AVal)):
        raise InputError(
            explain(
                f"a {type(value).__name__} is not a geometry",
                fix="Write Mesh(heapscene.geometry.box(), material), or make a Geometry of arrays.",
            )
        )


def _check_material(value: Any) -> None:
    kind: type = type(value)
    if kind in _kinds or isinstance(value, AVal):
        return
    if isinstance(value, type) or not isinstance(value, Material):
        raise InputError(
            explain(
                f"a {kind.__name__} is not a material",
                fix='Write PhongMaterial(color="tomato"), or give program, inputs and state.',
            )
        )
    _kinds[kind] = _Kind(isinstance(value, WatchedMaterial), _promises(kind))


def _promises(kind: type) -> bool:
    """Whether `inputs` of a class are a new dict of checked values, as `inputs_are_checked` says."""
    for base in kind.__mro__:
        if "inputs_are_checked" in vars(base):
            return bool(vars(base)["inputs_are_checked"])
        if "inputs" in vars(base):
            return False  # an override that has promised nothing
    return False
