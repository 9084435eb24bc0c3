"""Comparing pictures is worth something only if it sees a wrong byte: here each fault is planted."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.adaptive import cset
from heapscene.draw import Draw, PipelineState
from heapscene.heap import RECORD
from reference.naive_renderer import NaiveRenderer
from reference.pictures import BACKGROUND, SIZE, Side, frame_values
from reference.programs import PROGRAMS
from reference.worlds import make_geometries

pytestmark = pytest.mark.gpu


def make_draws():
    """Return draws in which every header field and every record word decides pixels."""
    rng = np.random.default_rng(11)
    geometries = make_geometries(np.random.default_rng(5))
    draws = []
    for k in range(8):
        model = np.eye(4)
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        model[:3, :3] = q * 0.45
        model[:3, 3] = ((k % 4) * 0.7 - 1.0, (k // 4) * 1.2 - 0.6, rng.uniform(-0.3, 0.3))
        program = PROGRAMS[k % 3]
        instances = {}
        if "offset" in program.interface.inputs:
            instances = {"offset": rng.uniform(-0.4, 0.4, (2, 3)).astype(np.float32)}
        draws.append(
            Draw(
                program,
                geometries[k % 4],
                inputs={"model": model, "color": (*rng.uniform(0.3, 1, 3), 1.0)},
                instances=instances,
                instance_count=2 if instances else 1,
                state=PipelineState(),
            )
        )
    return draws


class Planter:
    """Finds the bytes of a draw in a heap, and changes them."""

    def __init__(self, heap, draw):
        self.resident = heap._residents[draw]
        self.bucket = self.resident.bucket
        self.page = self.bucket.page

    def record_word(self, name, change):
        at = self.resident.slot.find(self.resident.rank)
        word = at * RECORD.itemsize // 4 + RECORD.names.index(name)
        self._change(self.bucket.records, word, change)
        for slot in self.bucket.slots:
            self.bucket.touch(slot)

    def header_word(self, kind, name, which, change):
        field = next(f for f in self.bucket.fields if (f.kind, f.name) == (kind, name))
        word = self.resident.row * self.bucket.schema.row_words + field.word + which
        self._change(self.bucket.headers, word, change)

    def base(self, kind, name):
        field = next(f for f in self.bucket.fields if (f.kind, f.name) == (kind, name))
        return int(
            self.bucket.headers.data[self.resident.row * self.bucket.schema.row_words + field.word]
        )

    def page_words(self, first, count, change):
        words = self.page.data[first : first + count].copy()
        self.page.write(first, change(words))

    @staticmethod
    def _change(words, at, change):
        value = np.array([change(int(words.data[at])) & 0xFFFFFFFF], np.uint32)
        assert words.write(at, value.tobytes()), "the fault changed nothing"


def transposed(words):
    return np.ascontiguousarray(words.view(np.float32).reshape(4, 4).T).view(np.uint32).reshape(-1)


FAULTS = {
    "attribute stride": lambda p, draw: p.header_word("attribute", "position", 1, lambda w: w + 1),
    "attribute base": lambda p, draw: p.header_word("attribute", "position", 0, lambda w: w + 3),
    "normal read as position": lambda p, draw: p.header_word(
        "attribute", "position", 0, lambda w: p.base("attribute", "normal")
    ),
    "instance stride": lambda p, draw: p.header_word("input", "offset", 1, lambda w: 0),
    "transposed matrix": lambda p, draw: p.page_words(p.base("input", "model"), 16, transposed),
    "stale colour": lambda p, draw: p.page_words(
        p.base("input", "color"), 4, lambda w: np.roll(w, 1)
    ),
    "one flipped vertex bit": lambda p, draw: p.page_words(
        p.base("attribute", "position") + 3, 1, lambda w: w ^ np.uint32(1 << 22)
    ),
    "index start off by one": lambda p, draw: p.record_word("index_start", lambda w: w + 1),
    "half the triangles": lambda p, draw: p.record_word("count", lambda w: w // 6 * 3),
    "one instance too few": lambda p, draw: p.record_word("instances", lambda w: w - 1),
    "first vertex": lambda p, draw: p.record_word("vertex_first", lambda w: w + 1),
    "vertex span": lambda p, draw: p.record_word("vertex_span", lambda w: w - 1),
    "header of a neighbour": lambda p, draw: p.record_word(
        "header", lambda w: w ^ p.bucket.schema.row_words
    ),
    "another element": lambda p, draw: p.record_word("first_instance", lambda w: w + 1),
    "count of zero": lambda p, draw: p.record_word("count", lambda w: 0),
}


@pytest.fixture(scope="module")
def scene(device):
    draws = make_draws()
    naive = NaiveRenderer(device)
    want = naive.render(draws, frame_values(), size=SIZE, samples=1, background=BACKGROUND)
    naive.close()
    return draws, want


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_seen(device, scene, fault):
    draws, want = scene
    side = Side(device, cset(draws), "expanded", 1)
    assert (side.picture() == want).all(), "the scene is right before the fault"
    assert side.scene.validate().ok
    # The instanced draw has instances; the u8 one a byte-wide index array.
    draw = (
        draws[2]
        if "instance" in fault or "element" in fault
        else draws[1]
        if "normal" in fault
        else draws[0]
    )
    FAULTS[fault](Planter(side.scene._heap, draw), draw)
    wrong = int((side.picture() != want).any(-1).sum())
    report = side.scene.validate()
    side.close()
    assert wrong > 0
    assert not report.ok, "what shows in the picture is reported, too"
