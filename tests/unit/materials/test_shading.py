import numpy as np
import pytest

from heapscene.draw import Viewpoint, orthographic
from heapscene.materials.color import linear
from heapscene.materials.phong import (
    PhongAttributes,
    PhongInputs,
    PhongVaryings,
    phong_fragment,
    phong_vertex,
)
from heapscene.materials.unlit import (
    UnlitAttributes,
    UnlitInputs,
    unlit_fragment,
    unlit_vertex,
)
from heapscene.scene import compose, rotation_y, rotation_z
from heapscene.shader import mat4, vec3, vec4

CAMERA = Viewpoint((0.0, 0.0, 5.0)).matrices(1.0, np.array([(-1.0,) * 3, (1.0,) * 3]))


def phong(position, normal, model=None, camera=CAMERA, color=(1, 1, 1, 1), specular=0.0):
    u = PhongInputs(
        model=mat4(np.eye(4) if model is None else model),
        view=mat4(camera.view),
        proj=mat4(camera.proj),
        color=vec4(*map(float, color)),
        shininess=40.0,
        specular=specular,
    )
    a = PhongAttributes(position=vec3(*map(float, position)), normal=vec3(*map(float, normal)))
    return phong_vertex(a, u), u


def lit(*arguments, **options):
    v, u = phong(*arguments, **options)
    return np.array(list(phong_fragment(v, u)))


def test_linear_follows_the_exact_curve():
    for value in (0.0, 0.02, 0.04045, 0.0405, 0.2, 0.5, 1.0):
        expected = value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        found = linear(vec4(value, 0.5, 1.0, 0.25))
        assert float(found.x) == pytest.approx(expected, rel=1e-5)
        assert float(found.z) == pytest.approx(1.0)
        assert float(found.w) == 0.25


def test_unlit_gives_the_product_of_colours_in_linear_light():
    u = UnlitInputs(
        model=mat4(compose((1, 0, 0), (0, 0, 0, 1), 1)),
        view=mat4(CAMERA.view),
        proj=mat4(CAMERA.proj),
        color=vec4(1.0, 0.5, 0.0, 0.5),
    )
    v = unlit_vertex(UnlitAttributes(position=vec3(0.0, 0.5, 0.0)), u)
    half = ((0.5 + 0.055) / 1.055) ** 2.4
    assert list(unlit_fragment(v, u)) == pytest.approx([1.0, half, 0.0, 0.5], abs=1e-6)
    expected = CAMERA.proj @ CAMERA.view @ (1.0, 0.5, 0.0, 1.0)
    assert list(v.clip) == pytest.approx(expected.tolist(), rel=1e-5)
    a = UnlitAttributes(position=vec3(0.0), color=vec4(0.5, 0.5, 0.5, 0.5))
    found = list(unlit_fragment(unlit_vertex(a, u), u))
    assert found == pytest.approx([half, half * half, 0.0, 0.25], abs=1e-6)


def test_what_faces_the_camera_is_brighter_and_nothing_is_black():
    head_on = lit((0, 0, 0), (0, 0, 1))[0]
    slanted = lit((0, 0, 0), (-1, 0, 0.5))[0]
    edge = lit((0, 0, 0), (-1, 0, 0))[0]
    assert 0.7 < head_on <= 1.0
    assert head_on > slanted > edge > 0.05


def test_outlines_do_not_sparkle():
    for outwards in ((-1, 0, 0), (0, -1, 0), (1, 0, 0), (0, 1, 0), (-0.7, -0.7, 0)):
        inside = lit((0, 0, 0), (*outwards[:2], 1e-3), specular=0.5)
        past = lit((0, 0, 0), (*outwards[:2], -1e-3), specular=0.5)
        assert inside == pytest.approx(past, abs=1e-3)


def test_the_faces_of_a_box_differ():
    eye = (5.0, 3.5, 5.0)
    camera = Viewpoint(eye).matrices(1.0, np.array([(-0.5,) * 3, (0.5,) * 3]))
    x, y, z = (lit(n, n, camera=camera)[0] for n in np.eye(3) * 0.5)
    assert min(abs(x - y), abs(y - z), abs(x - z)) > 0.05


def test_both_sides_are_lit_alike():
    for normal in ((0, 0, 1), (1, 2, 3), (-1, 0.5, 0.2)):
        back = tuple(-x for x in normal)
        assert lit((0, 0, 0), normal) == pytest.approx(lit((0, 0, 0), back), abs=1e-6)


def test_normals_stay_right_under_uneven_and_mirrored_scale():
    rng = np.random.default_rng(3)
    for scale in ((1, 4, 0.5), (-1, 1, 1), (-2, -3, -0.1), (1e-9, 2e-9, 1e-9), (1, 1, 0)):
        model = compose(rng.normal(size=3), rotation_z(rng.uniform(0, 6)), scale)
        model = model @ compose((0, 0, 0), rotation_y(rng.uniform(0, 6)), (1, 2, 1))
        tangent, other = rng.normal(size=(2, 3))
        normal = np.cross(tangent, other)
        v, _ = phong((0, 0, 0), normal / np.linalg.norm(normal), model=model)
        found = np.array(list(v.normal), dtype=float)
        seen = (CAMERA.view @ model)[:3, :3]
        expected = np.cross(seen @ tangent, seen @ other)
        expected /= np.linalg.norm(expected)
        assert np.linalg.norm(found) == pytest.approx(1, abs=1e-5)
        assert abs(found @ expected) == pytest.approx(1, abs=1e-4)


def test_highlight_is_where_the_light_mirrors():
    half = np.array([0.25, 0.45, 1.0]) / np.linalg.norm([0.25, 0.45, 1.0]) + (0, 0, 1)
    at, away = half / np.linalg.norm(half), (0.6, -0.6, 0.5)
    gain = lit((0, 0, 0), at, specular=0.5) - lit((0, 0, 0), at)
    assert gain[:3] == pytest.approx([0.5] * 3, abs=1e-3)
    assert gain[3] == 0
    gain = lit((0, 0, 0), away, specular=0.5) - lit((0, 0, 0), away)
    assert gain == pytest.approx([0] * 4, abs=1e-3)


def test_parallel_rays_light_a_plane_evenly():
    camera = CAMERA._replace(proj=orthographic(10.0, 1.0, 0.1, 10.0))
    places = [(0, 0, 0), (4, 0, 0), (-4, 3, 0)]
    even = [lit(place, (0, 0, 1), camera=camera)[0] for place in places]
    assert even == pytest.approx([even[0]] * 3, abs=1e-6)
    uneven = [lit(place, (0, 0, 1))[0] for place in places]
    assert np.ptp(uneven) > 0.01


def test_no_normal_gives_no_nan():
    found = lit((0, 0, 0), (0, 0, 0), specular=1.0)
    assert np.isfinite(found).all()
    v = PhongVaryings(color=vec4(1.0), normal=vec3(0.0), eye=vec3(0.0, 0.0, -1.0))
    _, u = phong((0, 0, 0), (0, 0, 1))
    assert np.isfinite(list(phong_fragment(v, u))).all()
