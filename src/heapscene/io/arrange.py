"""Side by side instead of on top of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from heapscene.io.model import LoadedNode

__all__ = ["arrange_in_grid"]

_GAP = 0.15


def arrange_in_grid(nodes: Sequence[LoadedNode]) -> LoadedNode:
    """Lay models out on the ground in rows, each centred in a cell as large as the largest of them.

    Models keep their size and stand on the plane y = 0; the grid is nearly square.

    Examples
    --------
    >>> arrange_in_grid([]).object_count
    0
    """
    boxes = [node.bounds() for node in nodes]
    sizes = np.array([box[1] - box[0] for box in boxes]).reshape(-1, 3)
    sizes = np.nan_to_num(sizes)
    columns = max(1, int(np.ceil(np.sqrt(len(nodes)))))
    rows = -(-len(nodes) // columns)
    cell = sizes.max(axis=0, initial=0.0) * (1.0 + _GAP)
    placed: list[LoadedNode] = []
    for number, (node, box) in enumerate(zip(nodes, boxes, strict=True)):
        row, column = divmod(number, columns)
        spot = np.array(
            [(column - (columns - 1) / 2) * cell[0], 0, (row - (rows - 1) / 2) * cell[2]]
        )
        low, high = np.nan_to_num(box)
        foot = np.array([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2])
        move = np.eye(4)
        move[:3, 3] = spot - foot
        placed.append(replace(node, transform=move @ node.transform))
    return LoadedNode("grid", children=tuple(placed))
