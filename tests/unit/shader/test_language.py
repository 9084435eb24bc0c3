"""Static values, enumerations, match, helpers, raw WGSL: the same in CPython and on the GPU."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderError, ShaderNameError, ShaderSyntaxError, ShaderTypeError
from heapscene.shader import (
    ComputeProgram,
    builtin,
    compute,
    dot,
    f32,
    function,
    i32,
    ir,
    mat4x3,
    static,
    storage,
    u32,
    vec3,
    vec3u,
    vec4,
    wgsl_function,
)
from heapscene.shader.ir import function_hash

N = 256
LIGHTS = [(vec3(1.0, 0.0, 0.0), 0.5), (vec3(0.0, 1.0, 0.0), 0.25)]
WEIGHTS = (0.5, 0.25, 0.125)
FANCY = False
HALF = 0.5
VIEW = np.arange(12.0).reshape(3, 4)


class Mode(enum.IntEnum):
    FLAT = 0
    LIT = 1
    GLOSSY = 7


class Flags(enum.IntFlag):
    A = 1
    B = 4


class Side(enum.Enum):
    FRONT = "front"


values = storage("values", f32, binding=0)
out = storage("out", f32, binding=1, access="read_write")


@function
def lit(normal: vec3) -> f32:
    total = f32(0.0)
    for direction, strength in LIGHTS:
        total += dot(normal, direction) * strength
    return total


@function
def unrolled(x: f32) -> f32:
    total = 0.0
    for k, weight in static(enumerate(WEIGHTS)):
        part = weight * x
        if static(k > 0):
            part = part + 1.0
        total += part
    for mode in Mode:
        total += f32(mode)
    return total


@function
def pruned(x: f32) -> f32:
    if static(FANCY):
        return not_there(x)  # pyright: ignore[reportUndefinedVariable]
    if static(len(WEIGHTS) == 3 and not FANCY):
        y = x * static(sum(WEIGHTS))
    else:
        y = vec3(x)
    return y


@function
def matched(x: f32) -> f32:
    mode = i32(x * 3.0)
    match mode:
        case Mode.LIT:
            y = 10.0
        case 2 | 3:
            y = 20.0
        case -1 if x < -0.4:
            y = 30.0
        case _:
            y = f32(mode)
    return y


@function
def named(kind: Mode) -> f32:
    return 1.0 if kind == Mode.GLOSSY else 2.0


@function
def scaled(x: f32, by: f32 = 2.0, plus: f32 = HALF) -> f32:
    return x * by + plus


@function
def swapped(x: f32) -> f32:
    a, b = x, 2.0
    a, b = b, a
    v = VIEW4x3 @ vec4(a, b, 1.0, 1.0)
    return v.x - 2.0 * v.y + v.z + b


VIEW4x3 = mat4x3(VIEW)


@function
def helpers(x: f32) -> f32:
    return scaled(x) + scaled(x, plus=1.0) + scaled(plus=x, x=3.0, by=x) + named(Mode.LIT)


@function
def captures(x: f32) -> f32:
    v = VIEW @ vec4(x)  # an array of the module is a matrix
    return v.x + LIGHTS[1][1] + f32(Flags.A | Flags.B)


@wgsl_function(
    """
    var total = 0.0;
    for (var k = 0u; k < n; k++) { total += x; }
    return total;  // a } in a comment
    """
)
def repeated(x: f32, n: u32) -> f32:
    return np.float32(sum(np.float32(x) for _ in range(n)))


@function
def escaped(x: f32) -> f32:
    return repeated(x, 3) + 1.0


def on_gpu(device, wgpu, helper, inputs):
    @compute(workgroup_size=64)
    def run(gid: vec3u = builtin.global_invocation_id) -> None:
        out[gid.x] = helper(values[gid.x])

    program = ComputeProgram(run)
    ir.verify_module(program.module)
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [
        device.create_buffer_with_data(data=inputs.tobytes(), usage=usage),
        device.create_buffer(size=inputs.nbytes, usage=usage),
    ]
    pipeline = device.create_compute_pipeline(
        layout="auto",
        compute={
            "module": device.create_shader_module(code=program.wgsl),
            "entry_point": program.entry,
        },
    )
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    compute_pass = encoder.begin_compute_pass()
    compute_pass.set_pipeline(pipeline)
    compute_pass.set_bind_group(0, group)
    compute_pass.dispatch_workgroups(len(inputs) // 64)
    compute_pass.end()
    device.queue.submit([encoder.finish()])
    return np.frombuffer(device.queue.read_buffer(buffers[1]), np.float32)


@pytest.mark.gpu
def test_both_sides_compute_the_same():
    wgpu = pytest.importorskip("wgpu")
    device = wgpu.gpu.request_adapter_sync().request_device_sync()
    inputs = np.random.default_rng(3).uniform(-1.0, 2.0, N).astype(np.float32)
    for helper in (unrolled, pruned, matched, swapped, helpers, captures, escaped):
        python = np.array([helper(x) for x in inputs.tolist()], np.float32)
        assert np.allclose(on_gpu(device, wgpu, helper, inputs), python, rtol=1e-5, atol=1e-5), (
            helper.name
        )


def test_static_loops_and_branches():
    assert lit(vec3(1.0, 2.0, 0.0)) == 1.0
    text = ir.print_function(lit.ir)
    assert text.count("dot(") == 2
    assert "if" not in ir.print_function(pruned.ir)
    assert "0.875" in ir.print_function(pruned.ir)
    assert unrolled(1.0) == f32(0.875 + 2 + 8)


def test_enumerations_are_numbers():
    assert [p.type.wgsl for p in named.parameters] == ["i32"]
    assert named(Mode.GLOSSY) == 1.0
    assert named(7) == 1.0

    @function
    def flags(x: Flags) -> Flags:
        return x | Flags.B

    assert flags.ir.returns.wgsl == "u32"
    assert flags(Flags.A) == 5

    @function
    def side(x: Side) -> f32:
        return 1.0

    with pytest.raises(ShaderTypeError, match="members of Side"):
        _ = side.ir


def refusal(body: str, **scope: object) -> str:
    text = f"@function(source=TEXT)\ndef run(x: f32) -> f32:\n{body}"
    names = {**vars(sh), **globals(), **scope, "TEXT": text}
    exec(text, names)
    with pytest.raises(ShaderError) as caught:
        _ = names["run"].ir
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    y = x\n    return static(y)\n", "'y' has no value before the function runs"),
        ("    return static(x + 1)\n", "'x' has no value before the function runs"),
        ("    return static(1 / 0)\n", "static(1 / 0) fails: ZeroDivisionError"),
        ("    return static(nothing)\n", "static(nothing) fails: NameError"),
        ("    return static(1.0, 2.0)\n", "static takes one expression"),
        ("    for w in WEIGHTS:\n        break\n    return x\n", "'break' is not part of a loop"),
        (
            "    for w in WEIGHTS:\n        if x > w:\n            continue\n    return x\n",
            "'continue' is not part of a loop",
        ),
        ("    for a, b in WEIGHTS:\n        x += a\n    return x\n", "does not have the parts"),
        ("    for w in WEIGHTS:\n        w = 1.0\n    return x\n", "also assigned elsewhere"),
        ("    for w in WEIGHTS:\n        x += w\n    return w\n", "is a loop variable and ends"),
        (
            "    match x:\n        case [a, b]:\n            x = 1.0\n    return x\n",
            "'match' is not",
        ),
        ("    match x:\n        case y:\n            x = y\n    return x\n", "'match' is not"),
        ("    for w in 3:\n        x += w\n    return x\n", "a loop runs over range"),
        ("    v = vec2(x)\n    v.xy = v\n    return x\n", "v = vec2(...)"),
        ("    v = vec2(x)\n    v.x = 1.0\n    return x\n", "v = v.with_x(...)"),
    ],
)
def test_refused(body, expected):
    assert expected in refusal(body)


def test_match_in_every_form():
    for x, expected in (
        (0.4, 10.0),
        (0.7, 20.0),
        (1.1, 20.0),
        (-0.45, 30.0),
        (-0.35, -1.0),
        (1.4, 4.0),
    ):
        assert matched(x) == expected, x


def test_recursion_names_the_chain():
    scope: dict[str, object] = {"function": function, "f32": f32}
    text = (
        "@function(source=TEXT)\ndef one(x: f32) -> f32:\n    return two(x)\n"
        "@function(source=TEXT2)\ndef two(x: f32) -> f32:\n    return three(x)\n"
        "@function(source=TEXT3)\ndef three(x: f32) -> f32:\n    return one(x)\n"
    )
    parts = text.split("@")
    scope |= {"TEXT": "@" + parts[1], "TEXT2": "@" + parts[2], "TEXT3": "@" + parts[3]}
    exec(text, scope)
    with pytest.raises(ShaderError, match="one -> two -> three -> one"):
        _ = scope["one"].ir


def test_a_capture_is_part_of_the_hash():
    def made(weight: float, count: int):
        @function
        def run(x: f32) -> f32:
            total = x
            for k in static(range(count)):
                total += weight * f32(k)
            return total

        return function_hash(run.ir)

    assert made(0.5, 2) == made(0.5, 2)
    assert len({made(0.5, 2), made(0.25, 2), made(0.5, 3)}) == 3


# Raw WGSL ----------------------------------------------------------------------------------------


def test_raw_wgsl_is_content():
    def made(text: str, other: str = "x"):
        @wgsl_function(text)
        def run(x: f32) -> f32:
            return x

        return run

    assert function_hash(made("return x;").ir) == function_hash(made("return x;").ir)
    assert function_hash(made("return x;").ir) != function_hash(made("return x + 0.0;").ir)
    assert repeated(1.5, 4) == 6.0
    assert type(repeated(1.5, 4)) is f32
    assert repeated.ir.twin is repeated
    assert "wgsl |" in ir.print_function(repeated.ir)
    assert escaped(2.0) == 7.0
    with pytest.raises(ShaderError):
        repeated(vec3(1.0), 2)


@pytest.mark.parametrize(
    "text", ["return x; }", "return (x;", "x + 1.0;", "}\nfn other() {", "/* return */"]
)
def test_raw_wgsl_is_looked_at(text):
    with pytest.raises(ShaderSyntaxError, match="WGSL text"):
        wgsl_function(text)


def test_raw_wgsl_has_a_signature():
    @wgsl_function("return var_;")
    def reserved(var: f32) -> f32:
        return var

    with pytest.raises(ShaderNameError, match="cannot be a name in WGSL"):
        _ = reserved.ir

    @wgsl_function("return 1.0;")
    def typed(x) -> f32:
        return x

    with pytest.raises(ShaderTypeError, match="has no type"):
        _ = typed.ir

    @wgsl_function("return;")
    def nothing(x: f32) -> None:
        return None

    with pytest.raises(ShaderTypeError, match="returns nothing"):
        _ = nothing.ir


@pytest.mark.gpu
@pytest.mark.refused_wgsl
def test_raw_wgsl_is_validated_where_it_is_compiled():
    wgpu = pytest.importorskip("wgpu")
    device = wgpu.gpu.request_adapter_sync().request_device_sync()

    @wgsl_function("return nonsense(x);")
    def wrong(x: f32) -> f32:
        return x

    with pytest.raises(wgpu.GPUError, match="nonsense"):
        on_gpu(device, wgpu, wrong, np.zeros(64, np.float32))


def test_our_own_programs_have_none():
    from pathlib import Path

    import heapscene

    folder = Path(heapscene.__file__).parent
    for part in ("kernels", "materials", "render", "gpu"):
        for path in (folder / part).rglob("*.py"):
            assert "wgsl_function" not in path.read_text(), path
