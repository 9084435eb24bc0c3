"""Everything that a table needs from the heap, read and checked before anything is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heapscene.adaptive import AVal
from heapscene.draw import DrawTable, PipelineState, TableDraw, at_fault, encode_value, read_visible
from heapscene.errors import HeapFullError, explain
from heapscene.heap.bucket_limits import BucketLimits, check_emitted
from heapscene.heap.limited import encode_followed
from heapscene.heap.page import Piece
from heapscene.heap.plan import Plan, Planner, check_whole, read_state
from heapscene.heap.schema import HeaderField, Schema, make_schema
from heapscene.heap.shape import Shape
from heapscene.shader import types

__all__ = ["TablePlan", "plan_table"]

_MOST_ROWS = 1 << 24


class TablePlan:
    """A table as values.

    Attributes
    ----------
    fields
        Those of the header that do not come from the geometry.
    shapes
        One per geometry of the table.
    shared
        What all rows have in common, by name; the other fields are columns.
    largest
        Indices or vertices of the largest geometry.
    chunk_rows
        Rows of a chunk at most.
    """

    __slots__ = (
        "chunk_rows", "draw", "fields", "largest", "schema", "shapes", "shared", "state", "visible",
    )  # fmt: skip

    def __init__(self, draw: TableDraw, schema: Schema, shapes: Sequence[Shape]) -> None:
        self.draw = draw
        self.schema = schema
        self.fields = (*schema.inputs, *schema.placing)
        self.shapes = shapes
        self.largest = max(shape.count for shape in shapes)
        self.shared: dict[str, Piece] = {}
        self.state: PipelineState = PipelineState()
        self.visible = True
        self.chunk_rows = 0


def plan_table(planner: Planner, draw: TableDraw) -> TablePlan:
    """Read a table's values.

    Raises
    ------
    HeapsceneError
        A value is missing, unknown or of the wrong type, or a single row exceeds a page.
    """
    try:
        return _plan(planner, draw)
    except Exception as error:
        planner.origin(at_fault(draw)).note_on(error)
        raise


def _plan(planner: Planner, draw: TableDraw) -> TablePlan:
    table = draw.table
    schema = _schema(planner, draw)
    shapes = [planner.catalog.shape(geometry, schema) for geometry in table.geometries]
    plan = TablePlan(draw, schema, shapes)
    plan.visible = read_visible(
        draw.visible.force() if isinstance(draw.visible, AVal) else draw.visible
    )
    plan.state = read_state(table.state.force() if isinstance(table.state, AVal) else table.state)
    for shape in shapes:
        check_whole(shape, plan.state)
    columns = {column.name for column in table.columns.values()}
    for field in schema.inputs:
        if field.name not in columns:
            plan.shared[field.name] = planner.input(field, draw, Plan(), None)
    for field in schema.placing:
        if field.name == "transform":
            plan.shared[field.name] = _transform(planner, field, draw.place())
    for shape in shapes:
        check_emitted(shape, 1, planner.limits)
    plan.chunk_rows = _chunk_rows(plan, planner.limit_bytes, planner.limits)
    return plan


def _schema(planner: Planner, draw: TableDraw) -> Schema:
    table = draw.table
    placing = _placing(table, draw)
    bound = {*draw.inputs, *(name for name in table.columns if name not in placing)}
    bound -= {"scale"} if "uniform_scale" in placing else set()
    key = ("table", draw.program.hash, *sorted(bound), None, *sorted(placing))
    schema = planner.schemas.get(key)
    if schema is None:
        schema = make_schema(draw.program, bound, planner.frame_inputs, placing)
        schema = planner.schemas.setdefault(schema.key, schema)
        planner.schemas[key] = schema
    return schema


def _placing(table: DrawTable, draw: TableDraw) -> Mapping[str, types.Type]:
    known = table.program.interface.inputs
    placing = {
        column.name: column.type for name, column in table.columns.items() if name not in known
    }
    if (placing or "model" in table.columns) and draw.place() is not None:
        placing["transform"] = types.MAT4
    return placing


def _transform(planner: Planner, field: HeaderField, value: Any) -> Piece:
    if not isinstance(value, AVal):
        data = encode_value(field.type, value, field.name)
        return Piece((field.tag, data), len(data), 0, data)
    data = encode_followed(field, value)
    if value.is_constant:
        return Piece((field.tag, data), len(data), 0, data)
    follows = planner.catalog.following(field, rows=False)
    return Piece(value, len(data), 0, data, value, follows)


def _chunk_rows(plan: TablePlan, limit_bytes: int, limits: BucketLimits) -> int:
    """Return how many rows a chunk may have, so that it fits beside all geometries on one page.

    Its records, and all that they can emit, have to fit in a bucket.
    """
    columns = [field for field in plan.fields if field.name not in plan.shared]
    row_bytes = sum(field.type.words * 4 for field in columns)
    pieces = [piece for shape in plan.shapes for piece in shape.pieces]
    sizes = {(piece.book, piece.key): max(16, (piece.nbytes + 15) & ~15) for piece in pieces}
    # Shared values that are equal take one place, but may differ later: a chunk has to fit then, too.
    shared = sum(max(16, (piece.nbytes + 15) & ~15) for piece in plan.shared.values())
    fixed = sum(sizes.values()) + shared + 16 * len(columns)
    room = limit_bytes - 16 - fixed
    rows = min(_MOST_ROWS, limits.records, limits.emitted // max(1, plan.largest))
    if row_bytes:
        rows = min(rows, min(limit_bytes // 4, room) // row_bytes)
    if rows < 1 or room < 0:
        raise HeapFullError(
            explain(
                "a row of a table does not fit on a page beside the table's geometries",
                facts={
                    "page": f"{limit_bytes - 16:,} bytes",
                    "geometries": f"{fixed:,} bytes",
                    "row": f"{row_bytes:,} bytes",
                },
                fix="Split the geometries among several tables, or give a larger page_bytes=.",
            )
        )
    return rows
