"""The record: what the GPU reads per draw."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

__all__ = [
    "COUNT",
    "FIRST_INSTANCE",
    "HEADER",
    "INDEX_START",
    "INSTANCES",
    "RECORD",
    "RECORD_WORDS",
    "VERTEX_FIRST",
    "VERTEX_SPAN",
    "WIDTH_SLOT",
    "pack_record",
    "unpack_record",
]

RECORD_WORDS = 8
HEADER = 0
"""First word of the header row in the bucket's header array."""
INDEX_START = 1
"""Byte offset in the page of the first index to draw; 0 if not indexed."""
WIDTH_SLOT = 2
"""Bytes per index in the lowest three bits: 0 (not indexed), 1, 2 or 4; above them the number of
the slot, see :attr:`Slot.number`."""
COUNT = 3
"""Indices or vertices per instance; 0 while hidden, and for holes."""
INSTANCES = 4
"""How often the geometry is drawn."""
VERTEX_FIRST = 5
"""Smallest vertex that is used."""
VERTEX_SPAN = 6
"""Largest used vertex minus smallest plus 1: vertices per instance."""
FIRST_INSTANCE = 7
"""Element of per-instance inputs that instance 0 reads: the row of a table in its chunk, or 0."""

RECORD: np.dtype[Any] = np.dtype(
    [
        ("header", "<u4"),
        ("index_start", "<u4"),
        ("width_slot", "<u4"),
        ("count", "<u4"),
        ("instances", "<u4"),
        ("vertex_first", "<u4"),
        ("vertex_span", "<u4"),
        ("first_instance", "<u4"),
    ]
)
"""A record as a NumPy structured dtype of 32 bytes."""

_RECORD = struct.Struct("<8I")
pack_record = _RECORD.pack
unpack_record = _RECORD.unpack_from
