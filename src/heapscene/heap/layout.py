"""The record: what the GPU reads per draw."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

__all__ = [
    "COUNT",
    "HEADER",
    "INDEX_START",
    "INDEX_WIDTH",
    "INSTANCES",
    "RECORD",
    "RECORD_WORDS",
    "SLOT",
    "VERTEX_FIRST",
    "VERTEX_SPAN",
    "pack_record",
    "unpack_record",
]

RECORD_WORDS = 8
HEADER = 0
"""First word of the header row in the bucket's header array."""
INDEX_START = 1
"""Byte offset in the page of the first index to draw; 0 if not indexed."""
INDEX_WIDTH = 2
"""Bytes per index: 0 (not indexed), 1, 2 or 4."""
COUNT = 3
"""Indices or vertices per instance; 0 while hidden, and for holes."""
INSTANCES = 4
"""How often the geometry is drawn."""
VERTEX_FIRST = 5
"""Smallest vertex that is used."""
VERTEX_SPAN = 6
"""Largest used vertex minus smallest plus 1: vertices per instance."""
SLOT = 7
"""Number of the slot, see :attr:`Slot.number`."""

RECORD: np.dtype[Any] = np.dtype(
    [
        ("header", "<u4"),
        ("index_start", "<u4"),
        ("index_width", "<u4"),
        ("count", "<u4"),
        ("instances", "<u4"),
        ("vertex_first", "<u4"),
        ("vertex_span", "<u4"),
        ("slot", "<u4"),
    ]
)
"""A record as a NumPy structured dtype of 32 bytes."""

_RECORD = struct.Struct("<8I")
pack_record = _RECORD.pack
unpack_record = _RECORD.unpack_from
