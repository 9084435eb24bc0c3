import numpy as np
import pytest

from heapscene.cli.demo_scene import lay_out


@pytest.mark.parametrize("count", [1, 2, 100, 10_000])
def test_every_object_has_its_own_place(count):
    layout = lay_out(count)
    assert layout.transforms.shape == (count, 4, 4)
    assert layout.colors.shape == (count, 4)
    assert np.isfinite(layout.transforms).all()
    assert (np.linalg.det(layout.transforms[:, :3, :3]) > 0).all()
    assert len(np.unique(layout.transforms[:, :3, 3].round(3), axis=0)) == count


def test_the_default_scene_is_varied():
    layout = lay_out(10_000)
    counts = np.bincount(layout.shapes)
    assert len(counts) == 5
    assert counts.min() > 1000
    bytes_of_colors = np.unique((layout.colors * 255).round().astype(np.uint8), axis=0)
    assert len(bytes_of_colors) >= 200
    assert 0 <= layout.colors.min() <= layout.colors.max() <= 1


def test_neighbours_do_not_overlap():
    places = lay_out(2000).transforms[:, [0, 2], 3]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.8
