"""A table and meshes of the same content give the same picture."""

from __future__ import annotations

import numpy as np
import pytest

import heapscene as hs
from heapscene.geometry import box, sphere
from reference.naive_renderer import compose, product
from reference.pictures import allowance

pytestmark = pytest.mark.gpu

ROWS = 60
SIZE = (96, 64)
SHAPES = [box(), sphere(), hs.Geometry({"position": np.eye(3), "normal": np.eye(3)})]
CAMERA = hs.PerspectiveCamera(position=(2, 2.5, 9), target=(0, 0, 0), near=1, far=40)
# What the GPU only copies into a matrix: nothing may be rounded in another way than for a mesh.
EXACT = {
    "position": ("position",),
    "scale": ("position", "scale"),
    "scale per axis": ("position", "scales"),
    "model": ("model",),
}
# What the GPU computes in single precision, a mesh in double precision.
TURNED = {
    "rotation": ("position", "rotation"),
    "rotation, scale": ("position", "rotation", "scale"),
    "rotation, scale per axis": ("position", "rotation", "scales"),
}
MATERIALS = {
    "unlit": hs.UnlitMaterial,
    "phong": hs.PhongMaterial,
    "blended": lambda **inputs: hs.UnlitMaterial(state=hs.PipelineState(blend="alpha"), **inputs),
}


def turn(quaternion):
    """A quaternion as a matrix, in double precision."""
    x, y, z, w = np.asarray(quaternion, float) / np.linalg.norm(np.asarray(quaternion, float))
    cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


class Content:
    """Rows as columns; and one by one, with the matrix that each should have."""

    def __init__(self, names, seed):
        rng = np.random.default_rng(seed)
        models = np.tile(np.eye(4), (ROWS, 1, 1))
        models[:, :3, :3] = rng.normal(size=(ROWS, 3, 3)) * 0.5
        models[:, :3, 3] = rng.uniform(-3, 3, (ROWS, 3))
        place = {
            "position": rng.uniform(-3, 3, (ROWS, 3)),
            "rotation": rng.normal(size=(ROWS, 4)),
            "scale": rng.uniform(0.3, 1.2, ROWS),
            "scales": rng.uniform(0.3, 1.2, (ROWS, 3)),
            "model": models,
        }
        self.place = {name.removesuffix("s"): place[name].astype(np.float32) for name in names}
        self.color = rng.random((ROWS, 4)).astype(np.float32)
        self.visible = rng.random(ROWS) < 0.8
        self.geometry = rng.integers(0, len(SHAPES), ROWS)

    def table(self, material, **options):
        columns = {
            **self.place,
            "color": self.color,
            "visible": self.visible,
            "geometry": self.geometry,
        }
        return hs.DrawTable(MATERIALS[material](), SHAPES, columns, **options)

    def rows(self):
        return [{name: self.place[name][row] for name in self.place} for row in range(ROWS)]

    def meshes(self, material, placed):
        """Meshes placed by the arguments that ``placed`` makes of a row."""
        return hs.Scene(
            *(
                hs.Mesh(
                    SHAPES[self.geometry[row]],
                    MATERIALS[material](color=tuple(self.color[row].tolist())),
                    visible=bool(self.visible[row]),
                    **placed(own),
                )
                for row, own in enumerate(self.rows())
            )
        )


def as_given(own):
    if "model" in own:
        return {"transform": own["model"]}
    if "rotation" in own:
        own = {**own, "rotation": turn(own["rotation"])}
    return own


def in_single_precision(own):
    return {"transform": compose(own, ())}


def pictures(device, encoding, samples, *contents):
    with hs.Renderer(SIZE, device=device, encoding=encoding, samples=samples) as renderer:
        return [renderer.render(what, CAMERA) for what in contents]


def assert_not_empty(picture):
    assert (picture != picture[0, 0]).any(-1).mean() > 0.1


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("names", EXACT.values(), ids=EXACT)
def test_what_is_only_copied_gives_equal_bytes(device, encoding, material, names):
    for seed, samples in ((1, 1), (2, 4)):
        content = Content(names, seed)
        table, meshes = pictures(
            device,
            encoding,
            samples,
            content.table(material),
            content.meshes(material, as_given),
        )
        assert_not_empty(table)
        np.testing.assert_array_equal(table, meshes)


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("names", TURNED.values(), ids=TURNED)
def test_what_is_computed_differs_by_its_precision_alone(device, material, names):
    """Meshes of matrices in single precision are equal; those in double differ in single pixels."""
    for seed, encoding in ((3, "expanded"), (4, "mega")):
        content = Content(names, seed)
        table, single, double = pictures(
            device,
            encoding,
            1,
            content.table(material),
            content.meshes(material, in_single_precision),
            content.meshes(material, as_given),
        )
        assert_not_empty(table)
        fused = allowance(device)
        assert np.count_nonzero((table != single).any(-1)) <= fused
        assert np.count_nonzero((table != double).any(-1)) <= fused + 4


def test_a_transform_moves_rows_as_it_moves_meshes(device):
    frame = np.eye(4)
    frame[:3, :3] = turn((1, 2, 3, 4)) * 0.8
    frame[:3, 3] = (0.5, -0.25, 1)
    content = Content(("position", "rotation", "scale"), 5)

    def placed(own):
        return {"transform": product(frame.astype(np.float32), compose(own, ()))}

    own, above, meshes = pictures(
        device,
        "expanded",
        1,
        content.table("phong", transform=frame),
        hs.Scene(hs.Group(content.table("phong"), transform=frame)),
        content.meshes("phong", placed),
    )
    assert_not_empty(own)
    np.testing.assert_array_equal(own, above)
    assert np.count_nonzero((own != meshes).any(-1)) <= allowance(device)


def test_written_rows_look_like_changed_meshes(device):
    before, after = (Content(("position", "scale"), seed) for seed in (6, 7))
    table = before.table("phong")
    with hs.Renderer(SIZE, device=device, samples=1) as renderer:
        first = renderer.render(table, CAMERA)
        for name in ("position", "scale"):
            table.write(name, after.place[name])
        table.write("color", after.color)
        table.write("visible", after.visible)
        table.write("geometry", after.geometry)
        changed = renderer.render(table, CAMERA)
        assert (changed != first).any()
        want = renderer.render(after.meshes("phong", as_given), CAMERA)
    np.testing.assert_array_equal(changed, want)
