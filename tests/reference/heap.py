"""The stupid twin of the heap: what each draw has to look like, taken from the draw itself."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heapscene.adaptive import AVal
from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.heap import Bucket, DrawHeap
from heapscene.shader import Interface
from heapscene.shader.types import I32, MAT4, U32, Type, Vector

COLORS = {"red": (1, 0, 0), "lime": (0, 1, 0), "blue": (0, 0, 1)}


@dataclass(frozen=True)
class FakeProgram:
    """A program without functions; `interface` has to fit `hash`."""

    hash: str
    interface: Interface = field(compare=False)


def now(value: Any) -> Any:
    return value.force() if isinstance(value, AVal) else value


def pack(type_: Type, value: Any) -> bytes:
    """Packs one value without the package's encoder."""
    if isinstance(value, str):
        value = COLORS[value]
    flat = np.asarray(value).reshape(-1).tolist()
    if len(flat) == 3 and type_.words == 4:
        flat.append(1.0)
    scalar = type_.scalar if isinstance(type_, Vector) else type_
    code = "I" if scalar == U32 else "i" if scalar == I32 else "f"
    return struct.pack(f"<{len(flat)}{code}", *flat)


def expected(draw: Draw, frame: dict[str, Type]) -> dict[str, Any]:
    """What the vertex function sees of a draw: values by name, per drawn vertex or instance."""
    interface = draw.program.interface
    geometry: Geometry = now(draw.geometry)
    arrays = {name: np.asarray(now(value)) for name, value in geometry.attributes.items()}
    indices = now(geometry.indices)
    count = len(arrays["position"]) if indices is None else len(np.asarray(indices).reshape(-1))
    first, count = geometry.range or (0, count)
    drawn = np.arange(first, first + count)
    if indices is not None:
        drawn = np.asarray(indices).reshape(-1)[first : first + count]
    result: dict[str, Any] = {"state": now(draw.state), "instances": now(draw.instance_count)}
    result["vertices"] = drawn.tolist() if now(draw.visible) else []
    for name, type_ in interface.attributes.items():
        rows = []
        for vertex in result["vertices"]:
            if name in arrays:
                array = arrays[name]
                rows.append(pack(type_, array[vertex if len(array) > 1 else 0]))
            else:
                rows.append(pack(type_, interface.attribute_defaults[name]))
        result[name] = b"".join(rows)
    for name, type_ in interface.inputs.items():
        values = []
        for number in range(result["instances"]):
            if name in draw.inputs:
                values.append(pack(type_, now(draw.inputs[name])))
            elif name in draw.instances:
                rows = now(draw.instances[name])
                values.append(pack(type_, rows[number if len(rows) > 1 else 0]))
            elif name not in frame:
                values.append(pack(type_, interface.input_defaults[name]))
        if name in draw.inputs or name in draw.instances or name not in frame:
            result[name] = b"".join(values)
    return result


def decode(bucket: Bucket, record: np.ndarray, state: PipelineState) -> dict[str, Any]:
    """What the heap holds for a record, read as the vertex shader reads it."""
    header, start, width, count, instances, first, span, element = map(int, record)
    width &= 7
    page = bucket.page.data
    if width:
        dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}[width]
        vertices = page.view(np.uint8)[start : start + count * width].view(dtype).astype(np.int64)
    else:
        vertices = first + np.arange(count)
    if count:
        assert vertices.min() == first
        assert vertices.max() - first + 1 == span
    result: dict[str, Any] = {"vertices": vertices.tolist(), "state": state}
    result["instances"] = instances
    row = bucket.headers.data[header : header + 2 * len(bucket.fields)].astype(np.int64)
    for at, item in enumerate(bucket.fields):
        assert item.word == 2 * at
        base, stride = row[item.word : item.word + 2]
        numbers = vertices if item.kind == "attribute" else element + np.arange(instances)
        places = base + stride * numbers[:, None] + np.arange(item.type.words)
        result[item.name] = page[places].tobytes()
    return result


class ModelHeap:
    """Ranks in a dictionary; everything else is recomputed when asked."""

    def __init__(self, frame: dict[str, Type]) -> None:
        self.frame = frame
        self.ranks: dict[Draw, int] = {}
        self._next = 0

    def apply(self, changes: list[DrawChange]) -> None:
        for old, new in changes:
            rank = None if old is None else self.ranks.pop(old)
            if new is not None:
                if rank is None:
                    rank = self._next
                    self._next += 1
                self.ranks[new] = rank

    def compare(self, heap: DrawHeap) -> None:
        """Raise unless the heap's arrays say of every draw what the draw says, in order."""
        assert heap.draw_count == len(self.ranks)
        pages: dict[Draw, int] = {}
        order = heap.order()
        drawn = iter(order)
        for bucket in heap.buckets:
            table = bucket.records.data[: bucket.records.used].reshape(-1, 8)
            for slot in bucket.slots:
                members = [resident is not None for resident in slot.residents]
                for record, is_live in zip(table[slot.start : slot.stop], members, strict=True):
                    if not is_live:
                        assert not record.any()
                        continue
                    draw = next(drawn)
                    assert draw.program.hash == bucket.program.hash
                    pages[draw] = bucket.page.number
                    assert decode(bucket, record, slot.state) == expected(draw, self.frame)
        assert next(drawn, None) is None
        assert sorted(map(self.ranks.__getitem__, order)) == sorted(self.ranks.values())

        def key(draw: Draw) -> tuple[Any, ...]:
            names = draw.program.interface.inputs
            given = {*draw.inputs, *draw.instances}
            frame = tuple(sorted(n for n in names if n not in given and n in self.frame))
            state = now(draw.state).key
            return (draw.program.hash, frame, pages[draw], state, self.ranks[draw])

        assert order == sorted(order, key=key)

    def bounds(self) -> np.ndarray:
        """The box by transforming every corner of every visible draw."""
        corners = []
        for draw in self.ranks:
            model = draw.inputs.get("model", draw.instances.get("model"))
            if (
                model is None
                or not now(draw.visible)
                or draw.program.interface.inputs["model"] != MAT4
            ):
                continue
            low, high = now(draw.geometry).bounds
            if not np.isfinite([low, high]).all():
                continue
            models = np.asarray(now(model), np.float32).astype(np.float64).reshape(-1, 4, 4)
            count = now(draw.instance_count)
            models = models[: count if len(models) > 1 else min(count, 1)]
            for matrix in models:
                for corner in np.ndindex(2, 2, 2):
                    point = np.where(corner, high, low)
                    corners.append(matrix[:3, :3] @ point + matrix[:3, 3])
        if not corners:
            return np.full((2, 3), np.nan)
        return np.stack([np.min(corners, axis=0), np.max(corners, axis=0)])
