"""How much a bucket may hold: what the GPU can bind and number."""

from __future__ import annotations

from dataclasses import dataclass

from heapscene.errors import HeapFullError, explain
from heapscene.heap.layout import RECORD_WORDS
from heapscene.heap.shape import Shape

__all__ = ["BucketLimits", "Need", "check_emitted"]

_RECORD_BYTES = 4 * RECORD_WORDS


@dataclass(slots=True)
class BucketLimits:
    """Limits of the device that draws; what passes them goes to another page.

    Attributes
    ----------
    table_bytes
        Size of the header rows of a bucket, and of its records: each is bound as a whole.
    emitted
        Indices that the draws of a bucket emit.
    """

    table_bytes: int = 2**35
    emitted: int = 2**32 - 1

    def become(self, other: BucketLimits) -> None:
        """Let everyone who has these limits see those of another device."""
        self.table_bytes, self.emitted = other.table_bytes, other.emitted

    @property
    def records(self) -> int:
        """Records of a bucket, holes and slack included."""
        return self.table_bytes // _RECORD_BYTES

    def rows(self, row_words: int) -> int:
        """Return how many header rows of so many words a bucket may have."""
        return self.table_bytes // (4 * max(1, row_words))


@dataclass(slots=True)
class Need:
    """What a draw or a chunk takes from a bucket, beside what lies on the page."""

    rows: int = 1
    records: int = 1
    emitted: int = 0


def check_emitted(shape: Shape, instances: int, limits: BucketLimits) -> None:
    """Raise if one draw alone emits more than a bucket may.

    Raises
    ------
    HeapFullError
        It does.
    """
    emitted = shape.count * instances
    if emitted > limits.emitted:
        raise HeapFullError(
            explain(
                "a draw emits more indices than the GPU can number",
                facts={
                    "indices": f"{emitted:,}",
                    "limit": f"{limits.emitted:,}",
                    "geometry": shape.geometry,
                    "instances": f"{instances:,}",
                },
                fix="Split its instances among several draws.",
            )
        )
