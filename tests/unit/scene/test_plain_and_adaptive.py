"""A value gives the same bytes whether it is given plain, adaptive, or assigned later."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.heap import DrawHeap as Heap
from heapscene.shader import types
from reference.heap import decode
from reference.programs import PROGRAMS

FRAME = {"view": types.MAT4, "proj": types.MAT4, "time": types.F32}
FAR = 2.7e6


def _lies_there(source, heap=None, reader=None):
    """What the heap holds for each draw, and the box around all."""
    heap = heap or Heap(1 << 20, FRAME)
    reader = reader or source.draw_reader()
    heap.apply(reader.changes())
    heap.pull()
    found = []
    for bucket in heap.buckets:
        table = bucket.records.data[: bucket.records.used].reshape(-1, 8)
        for slot in bucket.slots:
            live = [record for record in table[slot.start : slot.stop] if record[3]]
            found += [decode(bucket, record, slot.state) for record in live]
    return found, heap.world_bounds().tobytes()


def _random(seed):
    """Values of all kinds that a user may give, by the name of their property."""
    rng = np.random.default_rng(seed)
    matrix = np.eye(4)
    matrix[:3, :3] = rng.normal(size=(3, 3))
    matrix[:3, 3] = rng.normal(size=3) * FAR
    numbers = [
        lambda value: value,
        lambda value: value.tolist(),
        lambda value: value.astype(np.float32),
        lambda value: value.astype(np.longdouble),
        lambda value: value.astype(">f8"),
    ]

    def kind(value):
        return numbers[rng.integers(len(numbers))](np.asarray(value, np.float64))

    points = rng.normal(size=(9, 3)) * 0.01 + rng.choice([0, FAR])
    return {
        "points": kind(points),
        "position": kind(rng.normal(size=3) + FAR),
        "rotation": kind(rng.normal(size=4)),
        "scale": kind(rng.uniform(0.5, 2, 3)),
        "outer": kind(matrix) if seed % 2 else matrix,
        "color": kind(rng.random(4)) if seed % 3 else "rebeccapurple",
        "shininess": float(rng.uniform(1, 90)),
        "offsets": kind(rng.normal(size=(4, 3)) * FAR),
        "visible": bool(rng.random() < 0.8),
    }


def _scene(v):
    geometry = hs.Geometry({"position": v["points"]})
    inner = hs.Mesh(
        geometry,
        hs.PhongMaterial(v["color"], shininess=v["shininess"]),
        position=v["position"],
        rotation=v["rotation"],
        scale=v["scale"],
        visible=v["visible"],
    )
    alone = hs.Mesh(geometry, hs.UnlitMaterial(v["color"]), transform=v["outer"])
    instanced = hs.Draw(
        PROGRAMS[2],
        hs.Geometry({"position": v["points"], "normal": v["points"]}),
        {"color": v["color"], "model": v["outer"]},
        {"offset": v["offsets"]},
        instance_count=4,
        visible=v["visible"],
    )
    return hs.Scene(
        hs.Group(instanced, position=v["position"], scale=v["scale"]),
        hs.Group(hs.Group(inner, position=v["position"]), transform=v["outer"]),
        hs.Group(hs.Mesh(geometry, hs.UnlitMaterial(), scale=v["scale"]), rotation=v["rotation"]),
        alone,
    )


@pytest.mark.parametrize("seed", range(12))
def test_plain_adaptive_and_assigned_values_give_the_same_bytes(seed):
    before, after = _random(seed), _random(seed + 100)
    plain = _lies_there(_scene(after))
    cells = {name: hs.cval(value) for name, value in before.items()}
    scene = _scene(cells)
    heap, reader = Heap(1 << 20, FRAME), scene.draw_reader()
    first = _lies_there(scene, heap, reader)
    assert first == _lies_there(_scene(before))
    for name, cell in cells.items():
        cell.value = after[name]
    assert _lies_there(scene, heap, reader) == plain
    assert _lies_there(_scene({name: hs.constant(v) for name, v in after.items()})) == plain
    mapped = {name: cell.map(lambda value: value) for name, cell in cells.items()}
    assert _lies_there(_scene(mapped)) == plain
