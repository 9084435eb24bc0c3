"""Limits of a device, as far as pages and tables go."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from heapscene.errors import GpuError
from heapscene.render.recovery import bucket_limits, check_takes_over, page_limit


def device(binding: int, buffer: int = 2**28) -> SimpleNamespace:
    limits = {"max-storage-buffer-binding-size": binding, "max-buffer-size": buffer}
    return SimpleNamespace(limits=limits, create_pipeline_layout=lambda **_: None)


def test_limits_are_those_of_the_smaller_of_binding_and_buffer():
    limits = bucket_limits(device(2**27))
    assert limits.records == 4_194_304
    assert limits.rows(26) == 2**27 // 104
    assert limits.emitted == 2**31 - 64
    assert bucket_limits(device(2**31, 2**28)).records == 2**23
    assert bucket_limits(device(2**40, 2**40)).emitted == 2**32 - 1
    assert page_limit(device(2**40, 2**40)) == 2**28


def test_a_device_that_is_too_small_is_refused_with_numbers():
    check_takes_over(device(2**27), 2**24, 2**27)
    with pytest.raises(GpuError, match=r"tables[\s\S]*134,217,729 bytes[\s\S]*134,217,728 bytes"):
        check_takes_over(device(2**27), 2**24, 2**27 + 1)
    with pytest.raises(GpuError, match=r"pages[\s\S]*268,435,456 bytes[\s\S]*134,217,728 bytes"):
        check_takes_over(device(2**27), 2**28, 0)
