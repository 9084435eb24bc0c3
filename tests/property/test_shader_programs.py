"""Random shader functions mean the same in CPython and on the GPU.

Integers wrap, so any operation may be used on them; floats are kept to whole numbers below 1000,
which are exact in every order of evaluation, so results are compared for equality.
"""

from __future__ import annotations

import linecache
import textwrap

import numpy as np
import pytest

from heapscene import shader
from heapscene.shader import emit, ir
from heapscene.shader.types import U32, ArrayType

PROGRAMS = 24
INPUTS = 12

pytestmark = pytest.mark.gpu


class Author:
    """Writes random functions of ``(a: u32, b: i32, c: f32) -> u32``."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.names = {"a": "u32", "b": "i32", "c": "f32"}
        self.fixed = set()
        self.lines = []
        self.count = 0
        self.loops = 0

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def literal(self, kind):
        n = int(self.rng.integers(0, 40))
        return {"u32": f"u32({n})", "i32": f"i32({n - 20})", "f32": f"{n - 20}.0"}[kind]

    def known(self, kind):
        return [name for name, found in self.names.items() if found == kind]

    def leaf(self, kind):
        if kind == "bool":
            other = self.pick("u32", "i32", "f32")
            return f"{self.leaf(other)} {self.pick('<', '<=', '==', '!=', '>')} {self.leaf(other)}"
        names = self.known(kind)
        return self.pick(*names) if names and self.rng.random() < 0.7 else self.literal(kind)

    def expr(self, kind, depth=3):
        if depth == 0 or self.rng.random() < 0.15:
            return f"({self.leaf(kind)})"

        def sub(k):
            return self.expr(k, depth - 1)

        shared = [
            lambda: f"({sub(kind)} if {sub('bool')} else {sub(kind)})",
            lambda: f"select({sub(kind)}, {sub(kind)}, {sub('bool')})",
        ]
        return self.pick(*shared, *getattr(self, f"_{kind}")(sub))()

    def _whole(self, kind, sub):
        n = int(self.rng.integers(0, 32))
        return [
            *(lambda op=op: f"({sub(kind)} {op} {sub(kind)})" for op in "+-*&|^"),
            lambda: f"({sub(kind)} << {n})",
            lambda: f"({sub(kind)} >> {n})",
            lambda: f"({sub(kind)} >> ({sub('u32')} & 31))",
            lambda: f"(~{sub(kind)})",
            lambda: f"({sub(kind)} + 3)",
            lambda: f"(7 - {sub(kind)})",
            lambda: f"min({sub(kind)}, {sub(kind)})",
            lambda: f"clamp({sub(kind)}, 3, 300)",
            lambda: f"count_one_bits({sub(kind)})",
            lambda: f"abs({sub(kind)})",
        ]

    def _u32(self, sub):
        return [
            *self._whole("u32", sub),
            lambda: f"({sub('u32')} // {self.pick(*self.known('u32'))})",
            lambda: f"({sub('u32')} % ({sub('u32')} | 1))",
            lambda: f"u32({sub('i32')})",
            lambda: f"u32({sub('f32')})",
            lambda: f"vec3u({sub('u32')}, {sub('u32')}, 5).{self.pick('x', 'y', 'zyx.z')}",
            lambda: f"dot(vec2u({sub('u32')}), vec2u(1, {sub('u32')}))",
        ]

    def _i32(self, sub):
        return [
            *self._whole("i32", sub),
            lambda: f"(-{sub('i32')})",
            lambda: f"i32({sub('u32')})",
            lambda: f"i32({sub('f32')})",
            lambda: f"vec2i({sub('i32')}).with_y({sub('i32')}).y",
            lambda: f"vec4i(1, {sub('i32')}, 3, 4)[{sub('u32')} % 4]",
        ]

    def _f32(self, sub):
        def bounded(text):
            return f"clamp({text}, -1000.0, 1000.0)"

        return [
            *(lambda op=op: bounded(f"{sub('f32')} {op} {sub('f32')}") for op in "+-*"),
            lambda: bounded(f"{sub('f32')} ** 2"),
            lambda: bounded(f"2 * {sub('f32')} + 1"),
            lambda: f"f32({sub('i32')} & 511)",
            lambda: f"(-{sub('f32')})",
            lambda: f"abs({sub('f32')})",
            lambda: f"max({sub('f32')}, {sub('f32')})",
            lambda: bounded(f"dot(vec2({sub('f32')}, 2.0), vec2({sub('f32')}))"),
            lambda: f"sign({sub('f32')})",
            lambda: f"floor({sub('f32')} * 0.5)",
        ]

    def _bool(self, sub):
        kind = self.pick("u32", "i32", "f32")
        return [
            lambda: f"({sub(kind)} {self.pick('<', '>=', '==', '!=')} {sub(kind)})",
            lambda: f"({sub(kind)} <= {sub(kind)} < {sub(kind)})",
            lambda: f"({sub('bool')} and {sub('bool')})",
            lambda: f"({sub('bool')} or {sub('bool')})",
            lambda: f"(not {sub('bool')})",
            lambda: f"all(vec2i({sub('i32')}) <= vec2i({sub('i32')}, 4))",
        ]

    def write(self, depth, text):
        self.lines.append("    " * depth + text)

    def block(self, depth, size):
        before = dict(self.names)
        for _ in range(size):
            self.statement(depth)
        made = dict(self.names)
        self.names = before
        return made

    def statement(self, depth):
        choice = self.rng.random()
        if choice < 0.5 or depth > 3:
            self.assignment(depth)
        elif choice < 0.75:
            self.branch(depth)
        elif choice < 0.85:
            self.count += 1
            name = f"k{self.count}"
            bounds = self.pick("5", "2, 7", "9, -1, -3", f"{self.leaf('u32')} & 7")
            self.write(depth, f"for {name} in range({bounds}):")
            self.names[name] = "u32" if "&" in bounds else "i32"
            self.fixed.add(name)
            self.loop_body(depth + 1)
            del self.names[name]
        elif choice < 0.92:
            self.count += 1
            name = f"w{self.count}"
            self.write(depth, f"{name} = u32(0)")
            self.names[name] = "u32"
            self.fixed.add(name)
            self.write(depth, f"while {name} < 6 and {self.expr('bool', 2)}:")
            self.write(depth + 1, f"{name} += 1")
            self.loop_body(depth + 1)
        else:
            self.write(depth, f"if {self.expr('bool', 2)}:")
            leave = self.pick("return", "break", "continue") if self.loops else "return"
            tail = f" {self.expr('u32', 2)}" if leave == "return" else ""
            self.write(depth + 1, leave + tail)

    def loop_body(self, depth):
        self.loops += 1
        self.block(depth, 2)
        self.loops -= 1

    def branch(self, depth):
        self.write(depth, f"if {self.expr('bool')}:")
        arms = [self.block(depth + 1, 2)]
        if self.rng.random() < 0.4:
            self.write(depth, f"elif {self.expr('bool')}:")
            arms.append(self.block(depth + 1, 1))
        self.write(depth, "else:")
        arms.append(self.block(depth + 1, 2))
        first, *others = arms
        both = {n: k for n, k in first.items() if all(o.get(n) == k for o in others)}
        self.names.update(both)

    def assignment(self, depth):
        kind = self.pick("u32", "i32", "f32", "bool")
        # A name has one type in the whole function, whichever branch assigns it first.
        name = f"{kind[0]}{self.rng.integers(4)}"
        free = [n for n in self.known(kind) if n not in self.fixed and kind != "bool"]
        if len(free) > 1 and self.rng.random() < 0.1:
            x, y = free[0], free[-1]
            self.write(depth, f"{x}, {y} = {y}, {x}")
        elif free and kind in ("u32", "i32") and self.rng.random() < 0.3:
            self.write(
                depth, f"{self.pick(*free)} {self.pick('+', '^', '*')}= {self.expr(kind, 2)}"
            )
        else:
            self.write(depth, f"{name} = {self.expr(kind)}")
            self.names[name] = kind

    def function(self, name):
        self.write(0, f"def {name}(a: u32, b: i32, c: f32) -> u32:")
        self.names = self.block(1, 8)
        parts = [f"u32({n})" if k != "u32" else n for n, k in self.names.items() if k != "bool"]
        self.write(1, "return " + " ^ ".join(f"{p} * {3 + 2 * k}" for k, p in enumerate(parts)))
        return "\n".join(self.lines) + "\n"


def make(seed):
    name = f"random_{seed}"
    text = Author(seed).function(name)
    scope = {key: getattr(shader, key) for key in dir(shader) if not key.startswith("_")}
    scope["TEXT"] = text
    filename = f"<random program {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), scope)
    return shader.function(source=text)(scope[name]), text


def test_random_programs_agree():
    wgpu = pytest.importorskip("wgpu")
    device = wgpu.gpu.request_adapter_sync(
        power_preference="high-performance"
    ).request_device_sync()
    programs = [make(seed) for seed in range(PROGRAMS)]
    rng = np.random.default_rng(0)
    given = rng.integers(0, 1 << 32, (INPUTS, 3), dtype=np.uint32)
    given[: INPUTS // 2] %= 12
    body = ir.FunctionBuilder("main")
    lane = body.parameter("lane", U32)
    source = ir.Resource("source", ArrayType(U32), "storage", "read", 0, 0)
    target = ir.Resource("target", ArrayType(U32), "storage", "read_write", 0, 1)

    def word(k):
        return ir.index(source, ir.binary("+", ir.binary("*", lane, 3), k))

    a = body.let("a", word(0))
    b = body.let("b", ir.convert(shader.i32.__shader_type__, word(1)))
    c = body.let("c", ir.convert(shader.f32.__shader_type__, ir.binary("%", word(2), 100)))
    for k, (function, _) in enumerate(programs):
        ir.verify_function(function.ir)
        place = ir.index(target, ir.binary("+", ir.binary("*", lane, PROGRAMS), k))
        body.store(place, ir.call(function.ir, a, b, c))
    port = ir.Port(lane, builtin="local_invocation_index")
    entry = ir.EntryPoint("compute", body.done(), (port,), workgroup_size=(INPUTS, 1, 1))
    found = dispatch(wgpu, device, emit(ir.Module((entry,))), given)
    for k, (function, text) in enumerate(programs):
        expected = [
            function(shader.u32(int(x)), shader.i32(shader.u32(int(y))), shader.f32(int(z) % 100))
            for x, y, z in given
        ]
        assert found[:, k].tolist() == [int(e) for e in expected], (
            f"program {k}\n{text}\n{textwrap.indent(ir.print_function(function.ir), '  ')}"
        )
    assert len(np.unique(found)) > PROGRAMS * 3


def dispatch(wgpu, device, wgsl, given):
    module = device.create_shader_module(code=wgsl)
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "main"}
    )
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = [
        device.create_buffer_with_data(data=given.tobytes(), usage=usage),
        device.create_buffer(size=INPUTS * PROGRAMS * 4, usage=usage),
    ]
    group = device.create_bind_group(
        layout=pipeline.get_bind_group_layout(0),
        entries=[{"binding": k, "resource": {"buffer": b}} for k, b in enumerate(buffers)],
    )
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, group)
    work.dispatch_workgroups(1)
    work.end()
    device.queue.submit([encoder.finish()])
    data = np.frombuffer(device.queue.read_buffer(buffers[1]), np.uint32)
    return data.reshape(INPUTS, PROGRAMS)
