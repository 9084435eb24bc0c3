"""The record: eight words that describe one draw to the kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscene.typing import UintArray

__all__ = ["RECORD_WORDS", "contributions"]

RECORD_WORDS = 8
# Columns of a record, as in the heap's layout.
HEADER, INDEX_START, INDEX_WIDTH, COUNT, INSTANCES, VERTEX_FIRST, VERTEX_SPAN, SLOT = range(8)


def contributions(records: UintArray) -> NDArray[np.int64]:
    """Return how many indices each record emits and how many vertices it spans.

    Parameters
    ----------
    records
        ``(n, 8)`` words.

    Returns
    -------
    numpy.ndarray
        ``(n, 2)``; both are 0 for a hidden record, which has a count of 0.
    """
    table = records.reshape(-1, RECORD_WORDS).astype(np.int64)
    emitted = table[:, COUNT] * table[:, INSTANCES]
    vertices = table[:, VERTEX_SPAN] * table[:, INSTANCES] * (table[:, COUNT] > 0)
    return np.stack([emitted, vertices], axis=1)
