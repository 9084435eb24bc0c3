from __future__ import annotations

import numpy as np
import pytest

from heapscene.draw import Draw, DrawChange, Geometry, PipelineState
from heapscene.errors import HeapFullError
from heapscene.heap import DrawHeap, Words, check
from heapscene.shader import Interface, types
from reference.heap import FakeProgram, ModelHeap

FRAME = {"view": types.MAT4}
POINTS = PipelineState(topology="point-list")
PROGRAM = FakeProgram("p", Interface({"position": types.VEC3}, {"color": types.VEC4}))
INSTANCED = FakeProgram("i", Interface({"position": types.VEC3}, {"offset": types.VEC3}))


def cloud(n: int, seed: int = 0, indices=None) -> Geometry:
    rng = np.random.default_rng(seed)
    return Geometry({"position": rng.random((n, 3), np.float32)}, indices)


def mesh(geometry: Geometry, shade: float = 1.0) -> Draw:
    return Draw(PROGRAM, geometry, {"color": (shade, 0, 0, 1)}, state=POINTS)


def add(heap: DrawHeap, *draws: Draw) -> None:
    for draw in draws:
        heap.apply([DrawChange(None, draw)])


def remove(heap: DrawHeap, *draws: Draw) -> None:
    heap.apply([DrawChange(draw, None) for draw in draws])


def page_of(heap: DrawHeap, draw: Draw) -> int:
    return heap._residents[draw].bucket.page.number


def test_memory_follows_what_is_used_up_and_down():
    heap = DrawHeap(2**26, FRAME)
    draws = [mesh(cloud(20_000, k), k / 60) for k in range(60)]
    add(heap, *draws)
    full = heap.stats()["capacity_bytes"]
    assert full >= 60 * 240_000
    remove(heap, *draws[2:])
    heap.memory.compact()
    assert heap.stats()["capacity_bytes"] < full / 7
    check(heap)
    (page,) = heap.pages
    size = len(page.data)
    for _ in range(5):  # back and forth within bounds replaces nothing
        add(heap, draws[2])
        remove(heap, draws[2])
        assert len(heap.pages[0].data) == size


@pytest.mark.parametrize(
    ("gone", "pages"), [(slice(None), 1), (slice(30, None), 8), (slice(None, 30), 1 + 8)]
)
def test_empty_pages_are_given_back(gone, pages):
    """All but the first page, which costs next to nothing."""
    heap = DrawHeap(2**14, FRAME)
    draws = [mesh(cloud(300, k), k / 60) for k in range(60)]
    add(heap, *draws)
    assert len(heap.pages) == 15
    remove(heap, *draws[gone])
    assert len(heap.pages) == pages
    check(heap)
    numbers = [page.number for page in heap.pages]
    add(heap, *draws[gone])
    check(heap)
    assert numbers == [page.number for page in heap.pages][: len(numbers)]


def test_a_draw_goes_where_its_geometry_lies_although_newer_pages_have_room():
    heap = DrawHeap(2**14, FRAME)
    shared = cloud(200)
    first = mesh(shared)
    add(heap, first, *(mesh(cloud(300, k), k / 50) for k in range(12)))
    assert len(heap.pages) > 3
    late = mesh(shared, 0.123)
    add(heap, late)
    assert page_of(heap, late) == page_of(heap, first)


def test_a_draw_goes_where_its_largest_array_lies():
    """Another geometry, but its positions are there already."""
    heap = DrawHeap(2**14, FRAME)
    position = np.random.default_rng(0).random((200, 3), np.float32)
    first = mesh(Geometry({"position": position}))
    add(heap, first, *(mesh(cloud(300, k), k / 50) for k in range(12)))
    before = heap.stats()["live_bytes"]
    late = mesh(Geometry({"position": position}, np.arange(60)), 0.123)
    add(heap, late)
    assert page_of(heap, late) == page_of(heap, first)
    assert heap.stats()["live_bytes"] - before == 240 + 16


def test_rows_of_instances_are_found_too():
    heap = DrawHeap(2**14, FRAME)
    rows = np.random.default_rng(0).random((100, 3), np.float32)

    def many(geometry: Geometry) -> Draw:
        return Draw(INSTANCED, geometry, {}, {"offset": rows}, 100, state=POINTS)

    first = many(cloud(3, 1))
    add(heap, first, *(mesh(cloud(300, k), k / 50) for k in range(12)))
    late = many(cloud(3, 2))
    add(heap, late)
    assert page_of(heap, late) == page_of(heap, first)


def test_what_has_no_room_beside_what_it_shares_is_stored_again_elsewhere():
    """Each page has all that its own draws need; a copy on another page is another entry."""
    heap = DrawHeap(2**13, FRAME)
    shared = cloud(300)
    rng = np.random.default_rng(0)
    model = ModelHeap(FRAME)
    draws = [
        Draw(INSTANCED, shared, {}, {"offset": rng.random((60, 3))}, 60, state=POINTS)
        for _ in range(20)
    ]
    for draw in draws:
        heap.apply([DrawChange(None, draw)])
        model.apply([DrawChange(None, draw)])
    check(heap)
    model.compare(heap)
    (shape,) = heap.memory.catalog.shapes.values()
    assert [page.number for page in shape.pages] == [page.number for page in heap.pages]
    assert len(heap.pages) > 2
    for page in heap.pages:
        assert all(entry.page is page for entry in page.entries)
    remove(heap, *draws[:10])
    heap.memory.compact()
    check(heap)


def test_a_draw_larger_than_a_page_says_both_sizes_and_what_to_do():
    heap = DrawHeap(2**14, FRAME)
    add(heap, mesh(cloud(100)))
    before = heap.stats()
    with pytest.raises(HeapFullError) as caught:
        add(heap, mesh(cloud(2000)))
    text = str(caught.value)
    assert "24,016 bytes" in text
    assert "16,368 bytes" in text
    assert "Split the geometry" in text
    assert "page_bytes=" in text
    assert heap.stats() == before
    check(heap)


def test_a_page_never_grows_past_its_limit():
    heap = DrawHeap(100_000, FRAME)
    add(heap, *(mesh(cloud(500, k), k / 50) for k in range(40)))
    assert len(heap.pages) == 3
    for page in heap.pages:
        assert page.data.nbytes <= 100_000
        assert page.allocator.cursor <= 100_000


def test_words_give_back_what_is_far_too_much():
    words = Words()
    words.resize(4_000_000)
    words.data[:10] = np.arange(10)
    words.resize(400_000)
    assert len(words.data) == 800_000
    assert words.data[:10].tolist() == list(range(10))
    words.resize(110_000)
    assert len(words.data) == 800_000
    words.resize(10)
    assert len(words.data) == 2**18
    assert words.read(0, 10) == np.arange(10, dtype=np.uint32).tobytes()
    words.resize(0)
    assert len(words.data) == 2**18
