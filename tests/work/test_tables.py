"""What a change of a table costs, counted."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs

pytestmark = pytest.mark.gpu

ROWS = 100_000
CAMERA = hs.PerspectiveCamera(position=(0, 0, 300), target=(0, 0, 0), near=1, far=1000)

FLAT = ("pages", "page_bytes", "live_bytes", "capacity_bytes", "buckets", "records", "entries")


@pytest.fixture(scope="module")
def renderer(device):
    with hs.Renderer((64, 48), samples=1, device=device, encoding="mega") as renderer:
        yield renderer


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    triangle = hs.Geometry(
        {"position": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "normal": [(0, 0, 1)] * 3}
    )
    return hs.DrawTable(
        hs.PhongMaterial(),
        [triangle, hs.Geometry({"position": np.eye(3), "normal": np.eye(3)})],
        {
            "position": rng.uniform(-100, 100, (ROWS, 3)),
            "color": rng.random((ROWS, 4)),
            "geometry": rng.integers(0, 2, ROWS),
        },
        transform=np.eye(4),
    )


def still(renderer, table):
    for _ in range(3):
        renderer.draw(table, CAMERA)
    return renderer.draw(table, CAMERA)


def test_a_still_table_costs_nothing(renderer, table):
    report = still(renderer, table)
    assert (report.draws, report.visible_draws) == (len(table), len(table))
    assert report.bytes_uploaded == report.upload_writes == report.nodes_evaluated == 0
    assert report.buffers_created == report.compute_passes == 0
    assert report.draw_calls == 1


@pytest.mark.parametrize(
    ("name", "value", "nbytes"), [("position", (1, 2, 3), 12), ("color", (0, 1, 0, 1), 16)]
)
def test_one_row_is_its_bytes(renderer, table, name, value, nbytes):
    still(renderer, table)
    table.write(name, value, [ROWS // 2])
    report = renderer.draw(table, CAMERA)
    assert (report.bytes_uploaded, report.upload_writes) == (nbytes, 1)
    assert report.compute_passes == 0


def test_all_rows_are_their_bytes(renderer, table):
    still(renderer, table)
    table.write("color", np.random.default_rng(7).random((len(table), 4)))
    report = renderer.draw(table, CAMERA)
    assert report.bytes_uploaded <= 16 * len(table)


@pytest.mark.parametrize(("name", "width"), [("position", 3), ("color", 4)])
def test_scattered_rows_are_their_bytes_and_places(renderer, table, name, width):
    still(renderer, table)
    rng = np.random.default_rng(8)
    rows = rng.choice(ROWS, 1000, replace=False)
    table.write(name, rng.random((1000, width)), rows)
    report = renderer.draw(table, CAMERA)
    assert report.bytes_uploaded <= 1.2 * 4 * width * len(rows) + 4096
    assert report.upload_writes == 1


def test_scattered_hidden_rows_are_words(renderer, table):
    still(renderer, table)
    rows = np.random.default_rng(9).choice(ROWS, 1000, replace=False)
    table.write("visible", False, rows)
    report = renderer.draw(table, CAMERA)
    assert report.bytes_uploaded <= 1.2 * 4 * len(rows) + 4096
    assert report.visible_draws == len(table) - len(rows)
    table.write("visible", True, rows)


def test_every_other_hidden_row_is_a_word_for_each_row(renderer, table):
    before = still(renderer, table)
    table.write("visible", np.arange(len(table)) % 2 == 0)
    report = renderer.draw(table, CAMERA)
    assert report.bytes_uploaded <= 4 * len(table) + 64
    assert report.upload_writes == 1
    assert report.visible_draws == report.emitted_indices // 3 == len(table) // 2
    table.write("visible", True)
    assert renderer.draw(table, CAMERA).emitted_indices == before.emitted_indices


def test_the_same_values_again_cost_nothing(renderer, table):
    still(renderer, table)
    table.write("position", table["position"].copy())
    table.write("visible", True)
    assert renderer.draw(table, CAMERA).bytes_uploaded == 0


def test_one_hidden_row_is_one_record(renderer, table):
    still(renderer, table)
    table.write("visible", False, [5])
    report = renderer.draw(table, CAMERA)
    assert 0 < report.bytes_uploaded <= 32
    assert (report.visible_draws, report.compute_passes) == (len(table) - 1, 1)
    table.write("visible", True, [5])


def test_a_transform_is_one_small_write(renderer, table):
    still(renderer, table)
    table.transform = np.diag([1, 2, 3, 1.0])
    report = renderer.draw(table, CAMERA)
    assert 0 < report.bytes_uploaded <= 64
    assert (report.upload_writes, report.compute_passes) == (1, 0)


def test_a_group_above_moves_a_table_by_one_small_write(renderer, table):
    group = hs.Group(table, position=(0, 0, 0))
    scene = hs.Scene(group)
    still(renderer, scene)
    group.position = (1, 0, 0)
    first = renderer.draw(scene, CAMERA)
    group.position = (2, 0, 0)
    second = renderer.draw(scene, CAMERA)
    assert first.compute_passes == second.compute_passes == 0
    assert first.bytes_uploaded <= 256
    assert 0 < second.bytes_uploaded <= 64


def test_deleted_and_appended_rows_are_their_bytes(renderer, table):
    still(renderer, table)
    gone = np.arange(100, 200)
    table.delete(gone)
    report = renderer.draw(table, CAMERA)
    assert report.bytes_uploaded <= 32 * len(gone)
    assert report.draws == len(table)
    rows = table.append({"position": np.zeros((100, 3)), "color": "red"})
    assert rows.tolist() == gone.tolist()
    report = renderer.draw(table, CAMERA)
    assert report.bytes_uploaded <= 100 * (32 + 12 + 16)
    assert report.buffers_created == 0


def test_a_material_may_change_under_a_table(renderer):
    material = hs.UnlitMaterial("red")
    table = hs.DrawTable(material, hs.geometry.box(), {"position": np.zeros((3, 3))})
    still(renderer, table)
    material.color = "blue"
    renderer.draw(table, CAMERA)
    material.color = "lime"
    report = renderer.draw(table, CAMERA)
    assert 0 < report.bytes_uploaded <= 16


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_emptying_and_refilling_a_hundred_times_takes_no_memory(device, encoding):
    rng = np.random.default_rng(10)
    most = 600
    table = hs.DrawTable(
        hs.UnlitMaterial(),
        [hs.geometry.plane(), hs.geometry.box()],
        {"position": np.zeros((most, 3)), "color": np.ones((most, 4))},
    )
    with hs.Renderer((32, 32), samples=1, device=device, encoding=encoding) as renderer:
        still(renderer, table)
        full = renderer.stats()["scenes"][-1]
        for _ in range(100):
            table.delete(np.flatnonzero(table.alive))
            if rng.random() < 0.5:
                assert renderer.draw(table, CAMERA).visible_draws == 0
            n = int(rng.integers(1, most + 1))
            table.append(
                {
                    "position": rng.random((n, 3)),
                    "color": rng.random((n, 4)),
                    "geometry": rng.integers(0, 2, n),
                }
            )
            report = renderer.draw(table, CAMERA)
            assert (report.draws, report.visible_draws) == (n, n)
            now = renderer.stats()["scenes"][-1]
            assert {name: now[name] for name in FLAT} == {name: full[name] for name in FLAT}
        assert len(table["position"]) == most
