"""The twins, against worked examples and against a loop that a person can follow."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.kernels import (
    args_reference,
    contributions,
    expand_reference,
    scan_reference,
    tiles_reference,
)


def records_of(*pairs: tuple[int, int], span: int = 0) -> np.ndarray:
    records = np.zeros((len(pairs), 8), np.uint32)
    records[:, 3:5] = pairs
    records[:, 6] = span
    return records


WORKED = records_of((6, 2), (0, 5), (3, 1), (36, 0), (120, 3), (3, 1), span=2)


def test_worked_example_of_the_scan() -> None:
    firsts = scan_reference(WORKED)
    assert firsts[:, 0].tolist() == [0, 12, 12, 15, 15, 375, 378]
    assert firsts[:, 1].tolist() == [0, 4, 4, 6, 6, 12, 14]


def test_worked_example_of_the_tile_table() -> None:
    assert tiles_reference(scan_reference(WORKED), 0).tolist() == [0, 4, 4, 4, 4, 4, 5]


def test_tiles_beyond_the_elements_name_the_last_record() -> None:
    table = tiles_reference(scan_reference(WORKED), 0, count=9)
    assert table.tolist() == [0, 4, 4, 4, 4, 4, 5, 5, 5, 5]


def test_nothing_emitted_leaves_one_sentinel() -> None:
    assert tiles_reference(scan_reference(records_of((0, 1), (5, 0))), 0).tolist() == [1]
    assert tiles_reference(scan_reference(np.zeros((0, 8), np.uint32)), 1).tolist() == [0]


@pytest.mark.parametrize("axis", [0, 1])
def test_a_search_bounded_by_the_table_finds_the_owner(axis: int) -> None:
    rng = np.random.default_rng(3)
    records = records_of(*zip(rng.integers(0, 90, 60), rng.integers(0, 3, 60), strict=True), span=7)
    firsts = scan_reference(records)
    table = tiles_reference(firsts, axis)
    starts = firsts[:, axis]
    for element in range(int(starts[-1])):
        low, high = int(table[element // 64]), int(table[element // 64 + 1])
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if starts[middle] <= element else (low, middle - 1)
        assert starts[low] <= element < starts[low + 1]


def test_hidden_records_contribute_nothing() -> None:
    records = records_of((0, 4), (7, 0), (2, 3), span=5)
    assert contributions(records).tolist() == [[0, 0], [0, 0], [6, 15]]


def test_arguments_of_mega_are_ranges_of_emitted_indices() -> None:
    ranges = np.array([[0, 2, 0, 0], [2, 2, 0, 0], [2, 6, 0, 0]], np.uint32)
    assert args_reference(scan_reference(WORKED), ranges).tolist() == [
        [12, 1, 0, 0, 0],
        [0, 1, 12, 0, 0],
        [366, 1, 12, 0, 0],
    ]


def test_arguments_of_expanded_slots_are_windows_and_first_vertices() -> None:
    starts = scan_reference(WORKED)
    ranges = np.array([[0, 2, 640, 1], [2, 6, 0, 1]], np.uint32)
    assert args_reference(starts, ranges).tolist() == [
        [12, 1, 640, 0, 0],
        [366, 1, 0, int(starts[2, 1]), 0],
    ]


def expand_by_loops(records: np.ndarray, page: np.ndarray) -> list[int]:
    """One draw at a time, one instance at a time, one index at a time."""
    page_bytes = page.tobytes()
    indices: list[int] = []
    vertex = 0
    for record in records.tolist():
        _, start, width, count, instances, smallest, span, _ = record
        for _ in range(instances if count else 0):
            for k in range(count):
                at = start + k * width
                local = int.from_bytes(page_bytes[at : at + width], "little") - smallest
                indices.append(vertex + (local if width else k))
            vertex += span
    return indices


def test_expansion_equals_the_loops() -> None:
    page = np.zeros(32, np.uint32)
    page_bytes = page.view(np.uint8)
    page_bytes[16:22] = [5, 7, 6, 5, 6, 8]
    page_bytes[32:44].view(np.uint16)[:] = [300, 301, 302, 302, 301, 303]
    page[16:19] = [70_000, 70_002, 70_001]
    records = np.array(
        [
            [0, 16, 1, 6, 2, 5, 4, 0],
            [0, 34, 2, 3, 1, 301, 2, 0],
            [0, 32, 2, 0, 9, 300, 4, 0],
            [0, 64, 4, 3, 3, 70_000, 3, 0],
            [0, 0, 0, 4, 2, 11, 4, 0],
        ],
        np.uint32,
    )
    got = expand_reference(records, scan_reference(records), page).tolist()
    assert got == expand_by_loops(records, page)
    assert got[:6] == [0, 2, 1, 0, 1, 3]
    assert got[12:15] == [8, 9, 9]
