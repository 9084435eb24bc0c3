"""A program that captures adaptive values draws what one with the same inputs draws, and follows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wgpu

import heapscene as hs
from heapscene.errors import InputError, ShaderError, ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    Program,
    compute,
    f32,
    flat,
    fragment,
    function,
    mat3,
    mat4,
    storage,
    struct,
    vec3,
    vec3u,
    vec4,
    vertex,
)
from heapscene.shader import builtin as values
from heapscene.shader.interpret import dispatch
from reference.naive_renderer import NaiveRenderer
from reference.structs import Attributes, Inputs

SIZE = (64, 48)
CAMERA = hs.PerspectiveCamera(position=(2.0, 2.0, 3.0), target=(0.0, 0.0, 0.0))
lift = hs.cval(0.25)
tint = hs.cval(vec3(1.0, 0.5, 0.25))
out = storage("out", f32, binding=0, access="read_write")


@struct
class AllInputs:
    model: mat4
    view: mat4
    proj: mat4
    lift: f32


@struct
class Tint:
    tint: vec3


@struct
class Varyings:
    clip: vec4 = values.position
    normal: vec3


@function
def lifted(p: vec3) -> vec4:
    return vec4(p.x, p.y + lift, p.z, 1.0)


@vertex
def place(a: Attributes, u: Inputs) -> Varyings:
    return Varyings(clip=u.proj @ u.view @ u.model @ lifted(a.position), normal=a.normal)


@fragment
def shade(v: Varyings) -> vec4:
    return vec4(tint * (0.6 + 0.4 * v.normal.y), 1.0)


@vertex
def place_by_input(a: Attributes, u: AllInputs) -> Varyings:
    p = vec4(a.position.x, a.position.y + u.lift, a.position.z, 1.0)
    return Varyings(clip=u.proj @ u.view @ u.model @ p, normal=a.normal)


@fragment
def shade_by_input(v: Varyings, u: Tint) -> vec4:
    return vec4(u.tint * (0.6 + 0.4 * v.normal.y), 1.0)


CAPTURES = Program(place, shade)
GIVEN = Program(place_by_input, shade_by_input)


def draws(program: Program, **given: Any) -> list[hs.Draw]:
    made: list[hs.Draw] = []
    for number in range(3):
        model = np.eye(4)
        model[:3, 3] = (1.2 * number - 1.2, 0, 0)
        made.append(hs.Draw(program, hs.geometry.box(), {"model": model, **given}))
    return made


def test_it_is_an_input_with_that_value() -> None:
    face = CAPTURES.interface
    assert str(face.inputs["lift"]) == "f32"
    assert face.captured == {"lift": lift, "tint": tint}
    (draw, *_) = draws(CAPTURES)
    assert draw.inputs["lift"] is lift
    assert draws(CAPTURES, lift=1.0)[0].inputs["lift"] == 1.0


@pytest.mark.parametrize("encoding", ["expanded", "mega"])
def test_pictures_follow_the_value(encoding: Any, device: Any) -> None:
    with hs.Renderer(SIZE, encoding=encoding, device=device) as renderer:
        scene = hs.Scene(*draws(CAPTURES))
        before = renderer.render(scene, CAMERA)
        lift.value, tint.value = 0.75, vec3(0.0, 1.0, 0.5)
        after = renderer.render(scene, CAMERA)
        uploaded = renderer.report.bytes_uploaded
        lift.value, tint.value = 0.25, vec3(1.0, 0.5, 0.25)
    assert uploaded <= 128  # one value is one allocation, whoever reads it
    for picture, height, color in ((before, 0.25, (1, 0.5, 0.25)), (after, 0.75, (0, 1, 0.5))):
        with hs.Renderer(SIZE, encoding=encoding, device=device) as renderer:
            scene = hs.Scene(*draws(GIVEN, lift=height, tint=color))
            np.testing.assert_array_equal(renderer.render(scene, CAMERA), picture)
    assert (before != after).any(axis=2).mean() > 0.05


def test_in_direct_form(device: Any) -> None:
    naive = NaiveRenderer(device)
    frame = {"view": np.eye(4), "proj": np.diag([0.5, 0.5, 0.1, 1.0])}
    captured = naive.render(draws(CAPTURES), frame, size=SIZE)
    given = naive.render(draws(GIVEN, lift=0.25, tint=(1, 0.5, 0.25)), frame, size=SIZE)
    np.testing.assert_array_equal(captured, given)
    assert (given != given[0, 0]).any(axis=2).mean() > 0.05
    naive.close()


def test_rows_of_a_table_share_it(device: Any) -> None:
    place_of = np.array([[-1.2, 0, 0], [0, 0, 0], [1.2, 0, 0]])
    pictures = []
    for program, given in ((CAPTURES, {}), (GIVEN, {"lift": 0.25, "tint": (1, 0.5, 0.25)})):
        columns = {name: np.tile(np.float32(value), (3, 1)) for name, value in given.items()}
        if "lift" in columns:
            columns["lift"] = columns["lift"][:, 0]
        table = hs.DrawTable(program, hs.geometry.box(), {"position": place_of, **columns})
        with hs.Renderer(SIZE, device=device) as renderer:
            pictures.append(renderer.render(hs.Scene(table), CAMERA))
    np.testing.assert_array_equal(*pictures)


def test_in_cpython_it_is_its_value() -> None:
    assert lifted(vec3(0.0)).y == 0.25
    height = hs.computed(lambda: float(lifted(vec3(0.0)).y))
    lift.value = 0.5
    assert height.force() == 0.5
    lift.value = 0.25
    assert height.force() == 0.25


def test_the_hash_has_the_name_and_type_not_the_value() -> None:
    before = Program(place, shade).hash
    lift.value = 9.0
    assert Program(place, shade).hash == before
    lift.value = 0.25


def fragment_of(value: Any, text: str = "vec4(level)") -> Any:
    body = f"@fragment(source=TEXT)\ndef shade_it(v: Varyings) -> vec4:\n    return {text}\n"
    scope = {"TEXT": body, "fragment": fragment, "Varyings": Varyings, "vec4": vec4, "level": value}
    exec(body, scope)
    return scope["shade_it"]


def test_what_is_refused() -> None:
    with pytest.raises(ShaderError, match="adaptive value of a str"):
        _ = fragment_of(hs.cval("tomato")).ir

    @function
    def writes(x: f32) -> f32:
        tint[0] = x
        return x

    with pytest.raises(ShaderTypeError, match="outside of shaders"):
        _ = writes.ir

    @struct
    class Lift:
        lift: f32 = flat

    @fragment
    def both(v: Varyings, u: Lift) -> vec4:
        return vec4(u.lift)

    with pytest.raises(ShaderTypeError, match="also a captured adaptive value") as caught:
        Program(place, both)
    assert "Lift.lift, read by both" in str(caught.value)
    assert f"{__file__}:" in str(caught.value)

    other = hs.cval(1.0)

    def second() -> Any:
        lift = other

        @fragment
        def shade_it(v: Varyings) -> vec4:
            return vec4(lift)

        return shade_it

    with pytest.raises(ShaderTypeError, match="two adaptive values have the name 'lift'"):
        Program(place, second())


gain = hs.cval(2.0)
is_on = hs.cval(True)
steps = hs.cval(vec3u(1, 2, 3))
turn = hs.cval(mat3(np.eye(3)))
given = storage("given", vec3, binding=0)
moved = storage("moved", vec3, binding=4, access="read_write")


@function
def raised(x: f32) -> f32:
    return x * gain if is_on else -x


@compute(workgroup_size=64)
def moves(i: vec3u = values.global_invocation_id) -> None:
    here = turn @ given[i.x]
    moved[i.x] = vec3(raised(here.x), here.y + f32(steps.z), here.z)


def dispatched(device: Any, program: ComputeProgram, points: Any) -> Any:
    """Run with a uniform that is written from the present values; three floats to four words."""
    padded = np.zeros((len(points), 4), np.float32)
    padded[:, :3] = points
    usage = wgpu.BufferUsage
    everything = usage.STORAGE | usage.UNIFORM | usage.COPY_DST | usage.COPY_SRC
    values_now = program.captured_values()
    buffers = {
        "given": device.create_buffer_with_data(data=padded.tobytes(), usage=everything),
        "moved": device.create_buffer(size=padded.nbytes, usage=everything),
        "captured": device.create_buffer(size=values_now.nbytes, usage=everything),
    }
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": device.create_shader_module(code=program.wgsl)}
    )
    entries = [
        {"binding": b.binding, "resource": {"buffer": buffers[b.name]}} for b in program.bindings
    ]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
    device.queue.write_buffer(buffers["captured"], 0, values_now.tobytes())
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(len(points) // 64)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    found = np.frombuffer(device.queue.read_buffer(buffers["moved"]), np.float32)
    return found.reshape(-1, 4)[:, :3]


def test_compute_functions_read_them_from_a_uniform(device: Any) -> None:
    program = ComputeProgram(moves)
    assert program.captured == {"gain": gain, "is_on": is_on, "steps": steps, "turn": turn}
    assert [(b.name, b.binding, b.kind) for b in program.bindings] == [
        ("given", 0, "read-only-storage"),
        ("moved", 4, "storage"),
        ("captured", 5, "uniform"),
    ]
    before = program.hash, program.wgsl
    points = np.random.default_rng(5).normal(size=(128, 3)).astype(np.float32)
    quarter = np.float32([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    states = [(2.0, True, (1, 2, 3), np.eye(3)), (0.5, False, (4, 5, 9), quarter)]
    pictures = []
    for gain.value, is_on.value, now, matrix in states:
        steps.value, turn.value = vec3u(*now), mat3(matrix)
        on_gpu = dispatched(device, program, points)
        there = points @ np.float32(matrix).T
        there[:, 0] = there[:, 0] * gain.value if is_on.value else -there[:, 0]
        there[:, 1] += now[2]
        np.testing.assert_allclose(on_gpu, there, rtol=1e-6, atol=1e-6)
        in_python = np.zeros_like(points)
        with given.bound_to(points), moved.bound_to(in_python):
            for k in range(8):
                moves(vec3u(k, 0, 0))
        np.testing.assert_allclose(in_python[:8], there[:8], rtol=1e-6, atol=1e-6)
        memory = {"given": points, "moved": np.zeros_like(points)}
        dispatch(program.module.entries[0], memory, (len(points) // 64, 1, 1))
        np.testing.assert_allclose(memory["moved"], there, rtol=1e-6, atol=1e-6)
        pictures.append(on_gpu)
    assert not np.array_equal(*pictures)
    assert (program.hash, program.wgsl) == before
    assert ComputeProgram(moves).hash == program.hash


def test_their_bytes_follow() -> None:
    program = ComputeProgram(moves)
    followed = hs.computed(lambda: float(program.captured_values()["gain"]))
    gain.value = 3.0
    assert followed.force() == 3.0
    gain.value = 4.0
    assert followed.force() == 4.0
    gain.value = 2.0
    with pytest.raises(InputError, match="captures no adaptive value"):
        ComputeProgram(plain).captured_values()
    steps.value = "tomato"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ShaderTypeError, match="the adaptive value 'steps'"):
        program.captured_values()
    steps.value = vec3u(1, 2, 3)


@compute(workgroup_size=1)
def plain() -> None:
    out[0] = 1.0
