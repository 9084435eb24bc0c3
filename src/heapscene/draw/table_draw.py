"""A table as it travels: where it is placed, which rows come together, what a reader has not heard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal, computed
from heapscene.draw.rows import Rows

if TYPE_CHECKING:
    from heapscene.draw.state import PipelineState
    from heapscene.draw.table import DrawTable
    from heapscene.shader import ProgramLike

__all__ = ["TableDraw", "TableReader", "TableRows"]

_PARTS = 256


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class TableDraw:
    """All rows of a table, once in a drawing order.

    Attributes
    ----------
    table
        Whose rows.
    above
        A 4×4 matrix, or an adaptive value of one, that moves them besides the table's own transform.
    visible
        Whether any row is drawn.
    """

    table: DrawTable
    above: Any = None
    visible: bool | AVal[bool] = True

    @property
    def program(self) -> ProgramLike:
        """The program of all rows."""
        return self.table.program

    @property
    def state(self) -> PipelineState | AVal[PipelineState]:
        """The pipeline state of all rows, or an adaptive value of one."""
        return self.table.state

    @property
    def instances(self) -> Mapping[str, Any]:
        """Nothing: a row is drawn once."""
        return {}

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Values that are the same for all rows, by name."""
        table = self.table
        inputs = dict(table.inputs)
        if table.is_placed_as_a_whole:
            place = self.place()
            inputs["model"] = np.eye(4) if place is None else place
        return inputs

    def place(self) -> Any:
        """Return what moves all rows: ``None``, a 4×4 matrix or an adaptive value of one."""
        own, above = self.table.place, self.above
        if own is None or above is None:
            return above if own is None else own

        def product() -> NDArray[np.float64]:
            return _matrix(above) @ _matrix(own)

        if isinstance(own, AVal) or isinstance(above, AVal):
            return computed(product)
        return product()


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of a table that the GPU takes one after the other; dead and hidden ones draw nothing."""

    draw: TableDraw
    rows: range

    @property
    def table(self) -> DrawTable:
        """Whose rows."""
        return self.draw.table


class TableReader:
    """What one reader of a table has not heard yet. Values are read from the table.

    Attributes
    ----------
    writes
        Rows by column whose value was written.
    records
        Rows that came, went, were shown or hidden, or got another geometry.
    shared
        Whether something changed that all rows share.
    """

    __slots__ = ("__weakref__", "records", "shared", "writes")

    def __init__(self) -> None:
        self.writes: dict[str, list[Rows]] = {}
        self.records: list[Rows] = []
        self.shared = False

    def note(self, name: str, rows: Rows) -> None:
        """Note that a column was written."""
        _append(self.writes.setdefault(name, []), rows)

    def note_records(self, rows: Rows) -> None:
        """Note rows whose records may be others."""
        _append(self.records, rows)

    def clear(self) -> None:
        """Forget what was noted."""
        self.writes = {}
        self.records = []
        self.shared = False


def _append(parts: list[Rows], rows: Rows) -> None:
    parts.append(rows)
    if len(parts) < _PARTS:
        return
    length = max(part.stop if isinstance(part, slice) else int(part[-1]) + 1 for part in parts)
    marked = np.zeros(length, np.bool_)
    for part in parts:
        marked[part] = True
    parts[:] = [np.flatnonzero(marked)]


def _matrix(value: Any) -> NDArray[np.float64]:
    now = value.value if isinstance(value, AVal) else value
    return np.asarray(now, dtype=np.float64)
