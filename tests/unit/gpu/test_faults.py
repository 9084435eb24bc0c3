"""What wgpu raises, told as heapscene's errors; and what must never reach `submit`."""

from __future__ import annotations

import numpy as np
import pytest
import wgpu

from heapscene.errors import DeviceLostError, GpuError, HeapFullError, OutOfMemoryError
from heapscene.gpu import (
    BindGroup,
    Binding,
    Counters,
    GpuBuffer,
    GpuCalls,
    Mirror,
    Pipelines,
    Scatter,
    SmallBuffer,
    Timer,
    Usage,
    check_alive,
    read_buffer,
    request_device,
    submit,
)
from heapscene.heap import Words
from heapscene.kernels import scatter
from reference.faulty_device import FaultyDevice

LOST = "Validation Error\n\nCaused by:\n  In wgpuQueueWriteBuffer\n    Parent device is lost\n"
REFUSED = "Validation Error\n\nCaused by:\n  In wgpuDeviceCreateBuffer\n    Bad usage\n"


@pytest.mark.parametrize(
    ("cause", "kind", "message"),
    [
        (
            wgpu.GPUValidationError(REFUSED),
            GpuError,
            "no buffer 'x'\n  size for now  12 bytes\n  cause         Bad usage",
        ),
        (
            wgpu.GPUValidationError(LOST),
            DeviceLostError,
            """the GPU device is lost
  noticed  no buffer 'x'
  cause    Parent device is lost
Write renderer.recover(), or scene.recover(device): the next picture is the same.""",
        ),
        (
            wgpu.GPUOutOfMemoryError("Not enough memory left."),
            OutOfMemoryError,
            """out of memory: no buffer 'x'
  size for now  12 bytes
  cause         Not enough memory left.
Close renderers that are no longer used, or draw less at once.""",
        ),
        (MemoryError(), OutOfMemoryError, None),
        (ValueError("Invalid data_length"), GpuError, None),
    ],
)
def test_causes_are_told_by_kind(cause, kind, message) -> None:
    with pytest.raises(GpuError) as caught, GpuCalls("no buffer 'x'", size_for_now="12 bytes"):
        raise cause
    assert type(caught.value) is kind
    assert caught.value.__cause__ is cause
    assert message is None or str(caught.value) == message


@pytest.mark.parametrize("error", [HeapFullError("full"), KeyError("x"), KeyboardInterrupt()])
def test_what_is_not_wgpus_passes(error) -> None:
    with pytest.raises(type(error)) as caught, GpuCalls("no buffer"):
        raise error
    assert caught.value is error


def test_out_of_memory_is_a_memory_error() -> None:
    assert issubclass(OutOfMemoryError, MemoryError)
    assert issubclass(DeviceLostError, GpuError)


@pytest.mark.gpu
def test_each_part_says_that_the_device_is_lost() -> None:
    lost = request_device()
    counters = Counters()
    pipelines = Pipelines(lost, counters)
    buffer = GpuBuffer(lost, "b", Usage.STORAGE, counters)
    buffer.ensure(256)
    small = SmallBuffer(lost, "s", Usage.UNIFORM, counters)
    words = Words()
    words.resize(64)
    mirror = Mirror(lost, "m", Usage.STORAGE, counters, scatter=Scatter(pipelines, scatter))
    mirror.sync(words)
    words.write(3, b"\1\2\3\4")
    encoder = lost.create_command_encoder()
    timer = Timer(lost)
    made = counters.snapshot()
    check_alive(lost)
    lost.destroy()
    bindings = (Binding(0, "read-only-storage"),)
    calls = [
        lambda: check_alive(lost),
        lambda: buffer.ensure(1024),
        lambda: small.write(bytes(16)),
        lambda: mirror.sync(words),
        lambda: pipelines.module(scatter.wgsl),
        lambda: pipelines.compute(scatter.wgsl, scatter.entry, (scatter.bindings,)),
        lambda: pipelines.layouts.group(bindings),
        lambda: pipelines.layouts.pipeline(()),
        lambda: BindGroup(pipelines.layouts).get(bindings, [buffer]),
        lambda: submit(lost, encoder),
        lambda: read_buffer(lost, buffer.buffer, 4),
        lambda: Timer(lost),
        timer.milliseconds if "timestamp-query" in lost.features else lambda: check_alive(lost),
    ]
    for call in calls:
        with pytest.raises(DeviceLostError):
            call()
    assert counters == made
    for part in (buffer, small, mirror, timer):
        part.close()


@pytest.mark.gpu
def test_a_write_that_fails_is_sent_once_more(device) -> None:
    faulty = FaultyDevice(device)
    counters = Counters()
    uniform = SmallBuffer(faulty, "u", Usage.UNIFORM, counters)
    for size in (256, 4096):
        data = np.arange(size, dtype=np.uint8).tobytes()
        faulty.fail_at(2 if size > 256 else 1)
        with pytest.raises(OutOfMemoryError):
            uniform.write(data)
        assert uniform.write(data)
        assert read_buffer(device, uniform.buffer, size).tobytes() == data
        assert not uniform.write(data)


@pytest.mark.gpu
@pytest.mark.parametrize("number", range(1, 9))
def test_words_whose_upload_fails_are_sent_with_the_next(device, number: int) -> None:
    """Four writes, or a write, a pipeline, a group and a submission: whichever fails."""
    faulty = FaultyDevice(device)
    counters = Counters()
    mirror = Mirror(
        faulty, "m", Usage.STORAGE, counters, scatter=Scatter(Pipelines(faulty, counters), scatter)
    )
    words = Words()
    words.resize(200_000)
    mirror.sync(words)
    for places in (range(0, 200_000, 50_000), range(0, 200_000, 1_000)):
        for place in places:
            words.write(place, np.array([number + place], np.uint32))
        faulty.fail_at(number)
        try:
            mirror.sync(words)
        except OutOfMemoryError:
            words.write(17, np.array([number], np.uint32))
            mirror.sync(words)
        faulty.relax()
        got = read_buffer(device, mirror.buffer, words.used * 4).view(np.uint32)
        assert np.array_equal(got, words.data[: words.used])
    before = counters.snapshot()
    mirror.sync(words)
    assert counters.since(before) == Counters()


@pytest.mark.gpu
def test_a_buffer_that_is_replaced_lives_while_commands_use_it(device) -> None:
    layouts = Pipelines(device, Counters()).layouts
    buffer = GpuBuffer(device, "b", Usage.STORAGE, Counters())
    target = GpuBuffer(device, "t", Usage.STORAGE, Counters())
    buffer.ensure(256)
    target.ensure(256)
    device.queue.write_buffer(buffer.buffer, 0, bytes(range(256)))
    group = BindGroup(layouts)
    first = group.get((Binding(0, "read-only-storage"),), [buffer])
    assert group.current is first
    encoder = device.create_command_encoder()
    encoder.copy_buffer_to_buffer(buffer.buffer, 0, target.buffer, 0, 256)
    buffer.ensure(1024)
    assert group.current is None
    assert group.get((Binding(0, "read-only-storage"),), [buffer]) is not first
    buffer.close()
    assert group.current is None
    submit(device, encoder)
    assert read_buffer(device, target.buffer, 256).tobytes() == bytes(range(256))


@pytest.mark.gpu
def test_commands_that_are_refused_are_not_submitted(device) -> None:
    encoder = device.create_command_encoder(label="bad")
    compute = encoder.begin_compute_pass()
    compute.dispatch_workgroups(1)
    compute.end()
    with pytest.raises(GpuError, match=r"'bad' were refused\n.*pipeline must be set"):
        submit(device, encoder)
