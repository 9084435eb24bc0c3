"""A flipped bit in a live header row, record or tile is reported whenever it changes the picture."""

from __future__ import annotations

import os

import numpy as np
import pytest

from heapscene.heap.validate.bucket_books import read_books
from reference.damage import peek, poke
from reference.pictures import Side
from reference.table_worlds import TableWorld

pytestmark = pytest.mark.gpu
FLIPS = int(os.environ.get("HEAPSCENE_FLIPS", "100"))
CHECKS = {
    "headers": {"references", "headers"},
    "records": {"references", "records"},
    "tiles": {"tile-bounds"},
}


def random_word(rng, scene, kind):
    """Return a buffer and the number of a word in it that is in use."""
    books = read_books(scene._heap)
    books = books[int(rng.integers(len(books)))]
    on_gpu = scene._buckets[books.bucket]
    if kind == "headers":
        width = books.bucket.schema.row_words
        return on_gpu._headers, int(rng.choice(books.rows)) * width + int(rng.integers(width))
    if kind == "records":
        return on_gpu._records, int(rng.choice(np.flatnonzero(books.owners >= 0))) * 8 + int(
            rng.integers(8)
        )
    axis = int("expanded" in on_gpu.encodings)
    elements = (books.bucket.emitted, books.bucket.vertices)[axis]
    kernels = on_gpu._kernels
    table = kernels.vertex_tiles if axis else kernels.emitted_tiles
    return table, int(rng.integers(-(-elements // 64) + 1))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_a_flipped_bit_that_shows_is_reported(device, encoding):
    rng = np.random.default_rng(23)
    shown = 0
    for world_number in range(5):
        world = TableWorld(world_number)
        for _ in range(3):
            world.step()
        side = Side(device, world.elements, encoding, 1, (64 * 1024, 6 * 1024)[world_number % 2])
        want = side.picture()
        for _ in range(FLIPS // 10):
            kind = str(rng.choice(list(CHECKS), p=(0.4, 0.4, 0.2)))
            buffer, word = random_word(rng, side.scene, kind)
            was, _ = poke(buffer, word, peek(buffer, word) ^ 1 << int(rng.integers(32)))
            differs = (side.picture() != want).any()
            report = side.scene.validate()
            assert not differs or not report.ok, (
                f"{encoding}, {kind}, word {word} of {buffer.label}"
            )
            assert set(report.counts) <= CHECKS[kind], report
            shown += bool(differs)
            poke(buffer, word, was)
        assert side.scene.validate().ok
        assert (side.picture() == want).all()
        side.close()
    assert shown >= FLIPS // 16, "too few flips show to prove anything"
