"""Random sequences on a live scene against scenes built afresh from a plain description."""

import numpy as np
import pytest

import heapscene as hs
from reference.drawlist import DrawList, picture
from reference.scenes import SceneWorld


@pytest.mark.parametrize("seed", range(12))
def test_after_any_sequence_every_reader_sees_a_scene_built_afresh(seed):
    world = SceneWorld(seed)
    most = 0
    for step in range(150):
        world.step()
        if step % 30 == 29:
            expected = picture(world.built_afresh())
            most = max(most, len(expected))
            for reader in [world.eager, *world.readers, DrawList(world.scene)]:
                reader.pull()
                assert picture(reader.draws) == expected
                assert reader.reader.changes() == ()
            assert world.eager.draws == world.readers[0].draws
    assert most > 5


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(20, 23))
def test_after_any_sequence_the_picture_is_that_of_a_scene_built_afresh(seed, device):
    world = SceneWorld(seed, spread=0.2)
    covered = 0
    with hs.Renderer((160, 120), samples=1, device=device) as renderer:
        for step in range(120):
            world.step()
            if step % 20 == 19 and world.order:
                renderer.fit()
                seen = renderer.render(world.scene)
                again = renderer.render(world.scene)
                assert renderer.report.nodes_evaluated == renderer.report.bytes_uploaded == 0
                assert np.array_equal(seen, again)
                assert np.array_equal(seen, renderer.render(world.built_afresh()))
                covered = max(covered, (seen != seen[0, 0]).any(axis=-1).mean())
    assert covered > 0.05
