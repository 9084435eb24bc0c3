"""Fixtures for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from heapscene.errors import AdapterError

if TYPE_CHECKING:
    import wgpu


@pytest.fixture(scope="session")
def device() -> wgpu.GPUDevice:
    """A device with WebGPU's default limits: what passes on it runs everywhere.

    Without an adapter the test fails: a suite that skips its GPU tests has not tested anything.
    """
    from heapscene.gpu import request_device

    try:
        return request_device()
    except AdapterError as error:
        pytest.fail(str(error), pytrace=False)
