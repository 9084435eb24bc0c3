"""A frame that raises loses nothing: the next one draws what a fresh scene draws."""

import numpy as np
import pytest

import heapscene as hs

SIZE = (48, 36)
CAMERA = hs.PerspectiveCamera(position=(3, 2, 5), target=(0, 0, 0), near=0.1, far=50)


@pytest.fixture
def renderer(device):
    with hs.Renderer(SIZE, samples=1, device=device) as renderer:
        yield renderer


def boxes():
    return [
        hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("teal"), position=(k - 1.0, 0, 0))
        for k in range(3)
    ]


def fresh_picture(device, scene):
    with hs.Renderer(SIZE, samples=1, device=device) as renderer:
        return renderer.render(scene, CAMERA)


def test_a_first_frame_that_fails_is_drawn_when_the_value_is_right(renderer, device):
    color = hs.cval("tomatto")
    scene = hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial(color)))
    for _ in range(2):
        with pytest.raises(hs.errors.InputError, match="tomatto"):
            renderer.render(scene, CAMERA)
    color.value = "tomato"
    picture = renderer.render(scene, CAMERA)
    assert renderer.report.draws == 1
    assert (picture == fresh_picture(device, scene)).all()


@pytest.mark.parametrize("mend", ["fix", "remove"])
def test_other_changes_of_a_failing_frame_are_kept(renderer, device, mend):
    meshes = boxes()
    scene = hs.Scene(*meshes)
    renderer.render(scene, CAMERA)
    color = hs.cval("nonsense")
    bad = hs.Mesh(hs.geometry.sphere(), hs.UnlitMaterial(color))
    scene.add(bad)
    meshes[1].position = (0, 1, 0)
    meshes[0].visible = False
    scene.remove(meshes[2])
    with pytest.raises(hs.errors.InputError, match="nonsense"):
        renderer.render(scene, CAMERA)
    if mend == "fix":
        color.value = "gold"
    else:
        scene.remove(bad)
    picture = renderer.render(scene, CAMERA)
    assert (picture == fresh_picture(device, scene)).all()


def test_a_geometry_that_does_not_fit_leaves_what_was_there(device):
    mesh = hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("teal"))
    scene = hs.Scene(mesh)
    with hs.Renderer(SIZE, samples=1, device=device, page_bytes=8192) as renderer:
        before = renderer.render(scene, CAMERA)
        small, mesh.geometry = mesh.geometry, hs.geometry.sphere(0.5, (64, 64))
        for _ in range(2):
            with pytest.raises(hs.errors.HeapFullError):
                renderer.render(scene, CAMERA)
        mesh.geometry = small
        assert (renderer.render(scene, CAMERA) == before).all()


def test_an_exception_of_the_user_is_retried(renderer, device):
    divisor = hs.cval(0)
    scene = hs.Scene(
        hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red"), scale=divisor.map(lambda d: 1 / d))
    )
    with pytest.raises(ZeroDivisionError):
        renderer.render(scene, CAMERA)
    divisor.value = 2
    assert np.ptp(renderer.render(scene, CAMERA)) > 0
    assert renderer.report.visible_draws == 1


def test_a_posted_failure_is_raised_when_the_frame_is_drawn(renderer, device):
    scene = hs.Scene(*boxes())

    def fail():
        raise RuntimeError("posted")

    hs.post(fail)
    with pytest.raises(RuntimeError, match="posted"):
        renderer.draw(scene, CAMERA)
    assert renderer.report.visible_draws == 3
    assert renderer.draw(scene, CAMERA).bytes_uploaded == 0


def test_a_posted_failure_is_told_when_the_same_frame_fails(device):
    color = hs.cval("red")
    with hs.Renderer(SIZE, samples=1, device=device) as renderer:
        draws = hs.Scene(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial(color)))
        scene = hs.HeapScene(device, hs.Targets(samples=1), draws)
        for frame in (scene.update, lambda: renderer.draw(draws)):

            def fail():
                color.value = "nonsense"
                raise RuntimeError("posted")

            hs.post(fail)
            with pytest.raises(hs.errors.InputError, match="nonsense") as caught:
                frame()
            assert any("RuntimeError('posted')" in note for note in caught.value.__notes__)
            color.value = "red"
            frame()
        scene.close()


def test_a_closed_scene_says_so(device):
    scene = hs.HeapScene(device, hs.Targets(), hs.Scene(*boxes()))
    scene.update(CAMERA)
    scene.close()
    scene.close()
    with pytest.raises(hs.errors.FrameOrderError, match="closed"):
        scene.update(CAMERA)


def test_a_closed_scene_encodes_nothing(device):
    with hs.HeapScene(device, hs.Targets(), hs.Scene(*boxes())) as scene:
        scene.update(CAMERA)
    encoder = device.create_command_encoder()
    for encode in (scene.encode_compute, scene.encode_draws):
        with pytest.raises(hs.errors.FrameOrderError, match="closed"):
            encode(encoder)
    for change in (scene.add, scene.remove):
        with pytest.raises(hs.errors.FrameOrderError, match="closed"):
            change(hs.Mesh(hs.geometry.box(), hs.UnlitMaterial("red")))
