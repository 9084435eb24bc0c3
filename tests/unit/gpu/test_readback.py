from __future__ import annotations

import numpy as np
import pytest
import wgpu

from heapscene.gpu import read_buffer, read_texture

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (65, 2)])
def test_a_texture_comes_back_as_it_is(device, size: tuple[int, int]) -> None:
    width, height = size
    texels = np.random.default_rng(1).integers(0, 256, (height, width, 4)).astype(np.uint8)
    texture = device.create_texture(
        size=(width, height, 1),
        format="rgba8unorm-srgb",
        usage=wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.COPY_DST,
    )
    device.queue.write_texture(
        {"texture": texture},
        texels,
        {"bytes_per_row": width * 4, "rows_per_image": height},
        (width, height, 1),
    )
    assert np.array_equal(read_texture(device, texture, size), texels)


def test_a_part_of_a_buffer_comes_back(device) -> None:
    data = np.arange(8, dtype=np.uint32)
    buffer = device.create_buffer_with_data(data=data, usage=wgpu.BufferUsage.COPY_SRC)
    assert read_buffer(device, buffer, 12, 8).view(np.uint32).tolist() == [2, 3, 4]
    assert read_buffer(device, buffer, 0).size == 0
