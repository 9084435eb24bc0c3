import numpy as np

from heapscene.io import LoadedMaterial, LoadedNode, LoadedPart, arrange_in_grid


def model(size, at=(0, 0, 0)):
    corners = np.array([np.zeros(3), size], np.float32)
    move = np.eye(4)
    move[:3, 3] = at
    part = LoadedPart({"position": corners[[0, 1, 1]]}, None, LoadedMaterial())
    return LoadedNode("m", move, parts=(part,))


def test_models_do_not_touch_and_stand_on_the_ground():
    rng = np.random.default_rng(5)
    models = [model(rng.uniform(0.1, 3, 3), rng.uniform(-9, 9, 3)) for _ in range(7)]
    grid = arrange_in_grid(models)
    boxes = [child.bounds() for child in grid.children]
    assert np.allclose([box[0, 1] for box in boxes], 0, atol=1e-6)
    middles = np.array([box.mean(axis=0) for box in boxes])
    cell = np.max([np.ptp(model.bounds(), axis=0) for model in models], axis=0) * 1.15
    for axis, count in ((0, 3), (2, 3)):
        steps = middles[:, axis] / cell[axis] + (count - 1) / 2
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-5)
        assert set(np.round(steps).astype(int)) == set(range(count))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = (a[0] > b[1]) | (b[0] > a[1])
            assert apart[[0, 2]].any()
        np.testing.assert_allclose(a[1] - a[0], np.ptp(models[i].bounds(), axis=0), atol=1e-5)


def test_an_empty_model_takes_a_cell():
    grid = arrange_in_grid([LoadedNode("nothing"), model((1, 1, 1))])
    assert len(grid.children) == 2
    assert np.isfinite(grid.bounds()).all()
