"""Timestamps around a pass, and what is left when a timer is closed."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import wgpu

from heapscene.gpu import Timer


def counts() -> tuple[int, int]:
    gc.collect()
    known = wgpu.diagnostics.object_counts.get_dict()
    return known["QuerySet"]["count"], known["Buffer"]["count"]


def test_a_timed_pass_took_some_time_and_closing_frees_everything(device):
    before = counts()
    timer = Timer(device)
    assert counts() == (before[0] + 1, before[1] + 1)
    encoder = device.create_command_encoder()
    compute = encoder.begin_compute_pass(**timer.pass_arguments())
    compute.end()
    timer.resolve_into(encoder)
    device.queue.submit([encoder.finish()])
    took = timer.milliseconds()
    assert took is not None
    assert 0 <= took < 10_000
    timer.close()
    timer.close()
    assert timer.milliseconds() is None
    assert timer.pass_arguments() == {}
    timer.resolve_into(encoder)  # does nothing, or the encoder that has ended would tell
    del encoder, compute
    assert counts() == before


def test_a_device_without_timestamps_times_nothing():
    timer = Timer(SimpleNamespace(features=set()))
    assert timer.pass_arguments() == {}
    assert timer.milliseconds() is None
    timer.close()
