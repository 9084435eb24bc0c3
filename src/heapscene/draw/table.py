"""DrawTable: a million rows of one program, in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, CVal, Unique
from heapscene.draw.column import Column, as_rows, check_rows, common_length
from heapscene.draw.draw import check_mapping, check_program, with_captured
from heapscene.draw.encode import numpy_dtype
from heapscene.draw.geometry import Geometry
from heapscene.draw.limits import check_all_limits
from heapscene.draw.material import Material, WatchedMaterial
from heapscene.draw.numbers import as_array
from heapscene.draw.place import check_places, is_place
from heapscene.draw.rows import Rows, ascending, chosen_rows, row_count, simplified
from heapscene.draw.source import DrawReader, OneDraw
from heapscene.draw.state import PipelineState
from heapscene.draw.table_checks import (
    checked_geometries,
    checked_matrix,
    checked_state,
    refuse_rules,
)
from heapscene.draw.table_draw import TableDraw, TableReader
from heapscene.errors import InputError, explain
from heapscene.shader import BOOL, F32, U32, VEC3, VEC4, ProgramLike, Type
from heapscene.wording import counted, one_line, similar

__all__ = ["DrawTable"]

_PLACE: Mapping[str, Type] = {"position": VEC3, "rotation": VEC4, "scale": VEC3}
_RECORD = ("geometry", "visible")


class DrawTable(Unique):
    """Many draws of one program: one row per draw, one column per input.

    Rows are known by *handles*, integers that never move. A row costs no Python object, and no loop
    runs over rows.

    Parameters
    ----------
    program
        A program, or a material; a material's inputs that are not given as columns apply to all rows.
    geometry
        What rows draw: a geometry or a list of them.
    columns
        Arrays with one row per draw, or one value for all: any input of the program, and

        - ``geometry`` ``(n,)``: index into the list, 0 if not given;
        - ``visible`` ``(n,)``: bools, all true if not given;
        - ``position`` ``(n, 3)``, ``rotation`` ``(n, 4)`` (quaternions x, y, z, w of any length but zero) and
          ``scale`` ``(n,)`` or ``(n, 3)``, if the program reads ``model`` and has no inputs of these
          names: they are stored as float32, and the GPU composes the matrix. Or ``model`` ``(n, 4, 4)``,
          matrices with the last row 0, 0, 0, 1.

        A colour may be names and hex strings ``(n,)``. Any dtype and strides; values are copied and converted once.
    state
        Pipeline state of all rows, or an adaptive value of one; by default the material's.
    rules
        Reserved for state decided on the GPU; has to be empty.
    transform
        A 4×4 matrix, or an adaptive value of one, that moves all rows.

    Raises
    ------
    InputError
        A column is unknown, has another length or cannot be stored as the input's type.

    Examples
    --------
    >>> from heapscene.geometry import box, sphere
    >>> from heapscene.materials import PhongMaterial
    >>> table = DrawTable(
    ...     PhongMaterial(),
    ...     geometry=[box(), sphere()],
    ...     columns={"position": np.zeros((3, 3)), "geometry": [0, 1, 0], "color": (1, 0, 0, 1)},
    ... )
    >>> table.write("position", [(0, 2, 0)], rows=[1])
    >>> table.delete([0])
    >>> table.append({"position": [(5, 0, 0), (6, 0, 0)], "color": "tomato"})
    array([0, 3])
    >>> len(table), table["position"].shape
    (4, (4, 3))
    """

    __slots__ = (
        "__weakref__", "_alive", "_capacity", "_columns", "_draw", "_geometry", "_given", "_inputs",
        "_length", "_live", "_own_state", "_place", "_readers", "_state", "_visible", "geometries",
        "news", "program",
    )  # fmt: skip

    _instead = "Write hs.DrawTable(program, t.geometries, {name: t[name] for name in ...})."

    program: ProgramLike
    geometries: tuple[Geometry, ...]
    news: CVal[int]
    """Changes whenever the table does; the details are with the readers."""

    def __init__(
        self,
        program: ProgramLike | Material,
        geometry: Geometry | Sequence[Geometry],
        columns: Mapping[str, Any],
        *,
        state: PipelineState | AVal[PipelineState] | None = None,
        rules: Mapping[str, Any] | None = None,
        transform: Any = None,
    ) -> None:
        material = program if isinstance(program, Material) else None
        self.program = program.program if isinstance(program, Material) else program
        check_program(self.program, "DrawTable")
        self.geometries = checked_geometries(geometry)
        check_mapping("columns", columns)
        refuse_rules(rules)
        self._own_state = state is not None
        self._state = checked_state(
            state if state is not None else material.state if material else PipelineState()
        )
        self._given = tuple(columns)
        types = self._column_types(columns)
        rows = {name: self._converted(name, types.get(name), columns[name]) for name in columns}
        count = common_length({name: (columns[name], *rows[name]) for name in rows})
        self._place: Any = None
        self._given_transform(transform)
        self._inputs = self._shared(material)
        self._length = self._live = self._capacity = count
        self._alive = np.ones(count, np.bool_)
        self._visible = np.ones(count, np.bool_)
        self._geometry = np.zeros(count, np.int32)
        self._columns: dict[str, Column] = {}
        for name, (array, _) in rows.items():
            if name == "geometry":
                self._geometry[:] = array[:, 0]
            elif name == "visible":
                self._visible[:] = array[:, 0]
            else:
                type_ = types[name]
                header = "uniform_scale" if name == "scale" and type_ == F32 else name
                column = Column(header, type_, np.zeros((count, type_.words), numpy_dtype(type_)))
                self._columns[name] = column
                _store(column.data, slice(0, count), array)
        self.news = CVal(0)
        self._readers: WeakSet[TableReader] = WeakSet()
        self._draw = TableDraw(self)
        if isinstance(material, WatchedMaterial):
            material.watch(self)

    def __len__(self) -> int:
        return self._live

    def __bool__(self) -> bool:
        return True

    # Without this, Python would try table[0], table[1], ... to go through the rows.
    __iter__ = None

    def __repr__(self) -> str:
        rows, of = (
            counted(self._live, "row"),
            counted(len(self.geometries), "geometry", "geometries"),
        )
        return one_line(f"DrawTable({rows} of {of}; {', '.join(self._given)})")

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a read-only view of a column over all handles, dead ones included."""
        if isinstance(name, str) and name in _RECORD:  # pyright: ignore[reportUnnecessaryIsInstance]
            view = (self._geometry if name == "geometry" else self._visible)[: self._length]
            view.flags.writeable = False
            return view
        return self._column(name).view(self._length)

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which handles are rows, ``(handles,)``; a read-only view."""
        view = self._alive[: self._length]
        view.flags.writeable = False
        return view

    @property
    def state(self) -> PipelineState | AVal[PipelineState]:
        """The pipeline state of all rows, or an adaptive value of one."""
        return self._state

    @property
    def transform(self) -> Any:
        """What moves all rows: a 4×4 matrix, or an adaptive value of one; ``None`` for nothing.

        Assigning a matrix on a live table is one small write.
        """
        return self._place.force() if type(self._place) is _Transform else self._place

    @transform.setter
    def transform(self, value: Any) -> None:
        place = self._place
        if type(place) is _Transform and value is not None and not isinstance(value, AVal):
            place.value = checked_matrix(value)
            return
        self._signal()
        self._given_transform(value)
        for reader in self._readers:
            reader.shared = True

    def write(self, name: str, values: Any, rows: Any = None) -> None:
        """Write values of a column.

        Parameters
        ----------
        name
            One of the columns that the table was made with, ``"visible"`` or ``"geometry"``.
        values
            One per row, or one for all.
        rows
            Handles: a slice, integers, or a bool per handle. By default all live rows in order.

        Raises
        ------
        InputError
            A row is dead or does not exist, or the values do not fit or are beyond the limits that the
            program declares; nothing has changed.
        """
        is_record = isinstance(name, str) and name in _RECORD  # pyright: ignore[reportUnnecessaryIsInstance]
        column = None if is_record else self._column(name)
        chosen = chosen_rows(rows, self.alive, self._live)
        array, _ = self._converted(name, None if column is None else column.type, values)
        count = row_count(chosen)
        if len(array) not in (1, count):
            raise InputError(
                explain(
                    f"{len(array):,} values of {name!r} for {count:,} rows",
                    facts={"handles": f"{self._length:,}", "alive": f"{self._live:,}"},
                    fix="Give one value per row, or one for all; rows= says which.",
                )
            )
        if count == 0:
            return
        self._signal()
        if column is not None:
            _store(column.data, chosen, array)
        else:
            target = self._geometry if name == "geometry" else self._visible
            target[chosen] = array[:, 0]
        noted = ascending(chosen)
        for reader in self._readers:
            if column is None:
                reader.note_records(noted)
            else:
                reader.note(name, noted)

    def append(self, columns: Mapping[str, Any]) -> NDArray[np.int64]:
        """Add rows: the columns that the table was made with, ``geometry`` and ``visible`` if wanted.

        Returns
        -------
        numpy.ndarray
            Their handles, ascending: free ones first, then new ones.

        Raises
        ------
        InputError
            A column is missing, unknown or does not fit; nothing has changed.
        """
        check_mapping("columns", columns)
        self._check_names(columns)
        rows: dict[str, tuple[NDArray[Any], bool]] = {}
        for name, value in columns.items():
            type_ = None if name in _RECORD else self._column(name).type
            rows[name] = self._converted(name, type_, value)
        count = common_length({name: (columns[name], *rows[name]) for name in rows})
        if count == 0:
            return np.zeros(0, np.int64)
        check_rows(self._live + count)
        self._signal()
        free = np.zeros(0, np.int64)
        if self._live < self._length:
            free = np.flatnonzero(~self._alive[: self._length])[:count]
        end = self._length + count - len(free)
        handles = np.concatenate([free, np.arange(self._length, end)])
        chosen = simplified(handles)
        self._reserve(end)
        self._length = end
        self._live += count
        self._alive[chosen] = True
        self._visible[chosen] = rows["visible"][0][:, 0] if "visible" in rows else True
        self._geometry[chosen] = rows["geometry"][0][:, 0] if "geometry" in rows else 0
        for name, column in self._columns.items():
            _store(column.data, chosen, rows[name][0])
        for reader in self._readers:
            for name in self._columns:
                reader.note(name, chosen)
            reader.note_records(chosen)
        return handles

    def delete(self, rows: Any) -> None:
        """Delete rows by their handles; other handles stay.

        Raises
        ------
        InputError
            A row is dead or does not exist; nothing has changed.
        """
        chosen = ascending(chosen_rows(rows, self.alive, self._live))
        if row_count(chosen) == 0:
            return
        self._signal()
        self._alive[chosen] = False
        self._live -= row_count(chosen)
        for reader in self._readers:
            reader.note_records(chosen)

    # For heaps and scenes

    def draw_reader(self) -> DrawReader:
        """Return a reader of the one thing that there is to draw: all rows."""
        return OneDraw(self._draw)

    def as_draw(self) -> TableDraw:
        """Return what stands for the table in a list of draws."""
        return self._draw

    def reader(self) -> TableReader:
        """Return a reader that hears of every change from now on."""
        reader = TableReader()
        self._readers.add(reader)
        return reader

    @property
    def handles(self) -> int:
        """How many handles there are, dead ones included."""
        return self._length

    @property
    def columns(self) -> Mapping[str, Column]:
        """Columns of inputs, and of what ``model`` is made of, by name."""
        return self._columns

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Values of inputs that all rows share."""
        return self._inputs

    @property
    def place(self) -> Any:
        """The transform as heaps take it: ``None``, or an adaptive value."""
        return self._place

    @property
    def is_composed(self) -> bool:
        """Whether ``model`` is made of position, rotation or scale."""
        known = self.program.interface.inputs
        return any(name in self._columns and name not in known for name in _PLACE)

    @property
    def is_placed_as_a_whole(self) -> bool:
        """Whether all rows share one ``model``."""
        reads = "model" in self.program.interface.inputs
        return reads and "model" not in self._columns and not self.is_composed

    def shown(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which of some rows are alive and visible."""
        return self._alive[rows] & self._visible[rows]

    def chosen_geometry(self, rows: Rows) -> NDArray[np.int32]:
        """Return the index of the geometry of some rows."""
        return self._geometry[rows]

    def material_changed(self, material: Any) -> None:
        """Hear that the material has other inputs, or another state."""
        self._signal()
        self._inputs = self._shared(material)
        if not self._own_state:
            self._state = material.state
        for reader in self._readers:
            reader.shared = True

    # Parts of the above

    def _signal(self) -> None:
        """Mark first: that raises where a value may not be written, and nothing has changed then."""
        self.news.value += 1

    def _column_types(self, columns: Mapping[str, Any]) -> dict[str, Type]:
        known = self.program.interface.inputs
        types = {name: known[name] for name in columns if name in known and name not in _RECORD}
        if "model" in known:
            types |= {
                name: F32 if name == "scale" and as_array(columns[name]).ndim < 2 else type_
                for name, type_ in _PLACE.items()
                if name in columns and name not in known
            }
        unknown = [name for name in columns if name not in types and name not in _RECORD]
        if unknown:
            allowed = {*known, *_RECORD, *(_PLACE if "model" in known else ())}
            raise InputError(
                explain(
                    f"a table of this program has no column {unknown[0]!r}",
                    facts={"columns": ", ".join(sorted(allowed))},
                    fix=similar(
                        unknown[0],
                        allowed,
                        "Leave it out, or declare it in the program's input struct.",
                    ),
                )
            )
        if "model" in types and any(name in types and name not in known for name in _PLACE):
            raise InputError(
                explain(
                    "a row is placed either by 'model' or by position, rotation and scale",
                    facts={"columns": ", ".join(columns)},
                    fix="Leave 'model' out.",
                )
            )
        return types

    def _converted(self, name: str, type_: Type | None, value: Any) -> tuple[NDArray[Any], bool]:
        if isinstance(value, AVal):
            raise InputError(
                explain(
                    f"column {name!r} cannot be an adaptive value",
                    fix=f"Pass an array, and later table.write({name!r}, values).",
                )
            )
        if name == "visible":
            return as_rows(name, BOOL, value)
        if name != "geometry":
            assert type_ is not None
            found = as_rows(name, type_, value)
            if is_place(name, type_):
                check_places(name, found[0])
            limits = self.program.interface.input_limits.get(name)
            if limits is not None:
                check_all_limits(name, found[0], limits)
            return found
        rows, single = as_rows(name, U32, value)
        if rows.size and int(rows.max()) >= len(self.geometries):
            raise InputError(
                explain(
                    f"column 'geometry' says {int(rows.max())}, and there are "
                    f"{len(self.geometries)} geometries",
                    facts={"at": f"geometry[{int(rows.argmax())}]"},
                    fix="Write indices into the list geometry=, counted from 0.",
                )
            )
        return rows, single

    def _shared(self, material: Material | None) -> Mapping[str, Any]:
        given = {} if material is None else material.inputs
        skipped = {*self._given, *(("model",) if "model" in self.program.interface.inputs else ())}
        inputs = with_captured(self.program, given)
        return {name: value for name, value in inputs.items() if name not in skipped}

    def _given_transform(self, value: Any) -> None:
        if value is not None and "model" not in self.program.interface.inputs:
            raise InputError(
                explain(
                    "transform= moves the input 'model', which this program does not read",
                    fix="Leave transform= out, or declare model: mat4 in the program's inputs.",
                )
            )
        if value is None or isinstance(value, AVal):
            self._place = value
        else:
            self._place = _Transform(checked_matrix(value))

    def _column(self, name: str) -> Column:
        column = self._columns.get(name) if isinstance(name, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if column is None:
            raise InputError(
                explain(
                    f"the table has no column {name!r}",
                    facts={"columns": ", ".join([*self._columns, *_RECORD])},
                    fix=similar(
                        name,
                        [*self._columns, *_RECORD],
                        "Give it when the table is made: DrawTable(..., columns={...}).",
                    ),
                )
            )
        return column

    def _check_names(self, columns: Mapping[str, Any]) -> None:
        missing = [name for name in self._columns if name not in columns]
        if missing:
            raise InputError(
                explain(
                    f"appended rows need the column {missing[0]!r}",
                    facts={
                        "given": ", ".join(columns) or "nothing",
                        "table": ", ".join(self._columns),
                    },
                    fix="Give the columns that the table was made with, or one value for all rows.",
                )
            )

    def _reserve(self, length: int) -> None:
        if length <= self._capacity:
            return
        capacity = max(length, self._capacity + self._capacity // 2, 16)

        def grown(array: NDArray[Any]) -> NDArray[Any]:
            result = np.zeros((capacity, *array.shape[1:]), array.dtype)
            result[: self._length] = array[: self._length]
            return result

        self._alive, self._visible = grown(self._alive), grown(self._visible)
        self._geometry = grown(self._geometry)
        for column in self._columns.values():
            column.data = grown(column.data)
        self._capacity = capacity


class _Transform(CVal[NDArray[np.float64]]):
    """A matrix that was given as a plain value."""

    __slots__ = ()


def _store(data: NDArray[Any], rows: Rows, values: NDArray[Any]) -> None:
    if isinstance(rows, slice) and values.dtype == data.dtype:
        data[rows] = values
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(rows, slice):
            data[rows] = values
        else:  # as whole items, which NumPy moves several times faster than rows of an array
            item = f"V{4 * data.shape[1]}"
            data.view(item)[rows] = np.ascontiguousarray(values, data.dtype).view(item)
