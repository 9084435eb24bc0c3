"""A slot is expanded again only when one of its own records changed."""

from __future__ import annotations

import pytest

import heapscene as hs
from heapscene.draw import PipelineState
from heapscene.kernels import BucketKernels

pytestmark = pytest.mark.gpu
STATES = [PipelineState(cull_mode=mode) for mode in ("none", "front", "back")]


@pytest.fixture
def expanded(monkeypatch) -> list[list[int]]:
    """What each run of a bucket's kernels expanded."""
    runs: list[list[int]] = []
    encode = BucketKernels.encode

    def spy(kernels, compute, records, page, slots):
        runs.append(sorted(slots))
        return encode(kernels, compute, records, page, slots)

    monkeypatch.setattr(BucketKernels, "encode", spy)
    return runs


def test_only_slots_that_changed_are_expanded(device, expanded):
    box = hs.geometry.box()
    shown = [hs.cval(value=True) for _ in range(30)]
    places = [hs.cval((k % 6 - 2.5, k // 6 - 2.5, 0)) for k in range(30)]
    meshes = [
        hs.Mesh(
            box, hs.UnlitMaterial("red", state=STATES[k % 3]), position=places[k], visible=shown[k]
        )
        for k in range(30)
    ]
    scene = hs.Scene(*meshes)
    camera = hs.PerspectiveCamera(position=(0, 0, 9), near=0.1, far=50)
    with hs.Renderer((48, 48), device=device, encoding="expanded") as renderer:
        renderer.draw(scene, camera)
        order = [state.key for state in STATES]
        ranked = sorted(range(3), key=order.__getitem__)
        assert expanded == [[0, 1, 2]]
        shown[0].value = False
        renderer.draw(scene, camera)
        assert expanded[1:] == [[ranked.index(0)]]
        places[1].value = (0, 0, 1)
        renderer.draw(scene, camera)
        assert len(expanded) == 2, "a place is no part of a record"
        scene.remove(meshes[2], meshes[4])
        renderer.draw(scene, camera)
        assert expanded[2:] == [sorted([ranked.index(2), ranked.index(1)])]
        image = renderer.render(scene, camera)
    with hs.Renderer((48, 48), device=device, encoding="mega") as renderer:
        assert (renderer.render(scene, camera) == image).all()
