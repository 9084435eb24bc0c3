"""Random well-typed programs in the shader language, as text.

Integers wrap, so any operation may be used on them; floats are kept to whole numbers below 1000,
which are exact in every order of evaluation and with fused multiply-add, so that results can be
compared for equality. ``rough=True`` adds functions that round, for executions that share them.

``gpu=True`` leaves out what llvmpipe of Mesa 22 gets wrong: a loop with constant bounds that is also
left in another way, such as ``for k in range(5): if k <= b and k <= 4: break``, goes on past its end.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass, field

import numpy as np

from heapscene import shader

SCRATCH = 8  # words of the private array of a program
RESULTS = "tuple[f32, u32]"
KINDS = ("u32", "i32", "f32", "bool", "vec3", "Pair")
SIGNATURE = {"a": "u32", "b": "i32", "c": "f32"}


@shader.struct
class Pair:
    x: shader.f32
    n: shader.i32


@dataclass
class Helper:
    """A function that the others may call; ``writes`` says that it changes the private array."""

    name: str
    parameters: list[str]
    returns: str
    writes: bool


@dataclass
class Scope:
    """What the function that is being written knows."""

    names: dict[str, str]
    parameters: tuple[str, ...]
    fixed: set[str] = field(default_factory=set)
    made: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    loops: int = 0
    closed: bool = False  # loops around are left at their end only


class Author:
    """Writes one program: helpers, then a function of ``(a: u32, b: i32, c: f32) -> u32``."""

    def __init__(self, seed, *, size=5, rough=False, quads=False, gpu=False):
        self.rng = np.random.default_rng(seed)
        self.size, self.rough, self.quads, self.gpu = size, rough, quads, gpu
        self.count = 0
        self.helpers = []
        self.scope = Scope({}, ())
        self.scratch = f"scratch_{seed}"
        self.writes = False

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def chance(self, share):
        return self.rng.random() < share

    # Expressions -----------------------------------------------------------------------------

    def literal(self, kind):
        n = int(self.rng.integers(0, 40))
        if kind == "vec3":
            return f"vec3({n - 20}.0, {n % 7}.0, {3 - n % 5}.0)"
        if kind == "Pair":
            return f"Pair(x={n}.0, n=i32({n - 20}))"
        return {"u32": f"u32({n})", "i32": f"i32({n - 20})", "f32": f"{n - 20}.0"}[kind]

    def known(self, kind):
        return [name for name, found in self.scope.names.items() if found == kind]

    def leaf(self, kind):
        if kind == "bool":
            other = self.pick("u32", "i32", "f32")
            return f"{self.leaf(other)} {self.pick('<', '<=', '==', '!=', '>')} {self.leaf(other)}"
        names = self.known(kind)
        return self.pick(*names) if names and self.chance(0.75) else self.literal(kind)

    def expr(self, kind, depth=3):
        if depth == 0 or self.chance(0.15):
            return f"({self.leaf(kind)})"
        if self.chance(0.15):
            again = [text for k, text in self.scope.made[-20:] if k == kind and self.is_known(text)]
            if again:
                return self.pick(*again)

        def sub(k):
            return self.expr(k, depth - 1)

        options = [lambda: f"({sub(kind)} if {sub('bool')} else {sub(kind)})"]
        if kind != "Pair":
            options.append(lambda: f"select({sub(kind)}, {sub(kind)}, {sub('bool')})")
        options += getattr(self, f"_{kind.lower()}")(sub)
        for helper in self.helpers:
            if helper.returns == kind:
                options += 2 * [lambda h=helper: f"{h.name}({', '.join(map(sub, h.parameters))})"]
        text = self.pick(*options)()
        self.scope.made.append((kind, text))
        return text

    def is_known(self, text):
        """Tell whether all variables of an expression still exist."""
        found = re.findall(r"\b[a-z][0-9]+\b|\bk[0-9]+\b|\b[abc]\b", text)
        return all(name in self.scope.names for name in found)

    def varying(self):
        """Return a u32 that is no constant: WGSL refuses some constants as divisors and amounts."""
        names = [name for name in self.scope.parameters if self.scope.names[name] == "u32"]
        return f"({self.leaf('u32')} ^ {names[0]})" if names else f"u32({self.scratch}[2] | 1)"

    def _whole(self, kind, sub):
        n = int(self.rng.integers(0, 32))
        return [
            *(lambda op=op: f"({sub(kind)} {op} {sub(kind)})" for op in "+-*&|^"),
            lambda: f"({sub(kind)} << {n})",
            lambda: f"({sub(kind)} >> {n})",
            lambda: f"({sub(kind)} >> ({sub('u32')} & 31))",
            lambda: f"({sub(kind)} << {self.varying()})",
            lambda: f"(~{sub(kind)})",
            lambda: f"({sub(kind)} + 3)",
            lambda: f"(7 - {sub(kind)})",
            lambda: f"{self.pick('min', 'max')}({sub(kind)}, {sub(kind)})",
            lambda: f"clamp({sub(kind)}, 3, 300)",
            lambda: f"{self.pick(*BITS)}({sub(kind)})",
            lambda: f"extract_bits({sub(kind)}, {sub('u32')}, u32({n}))",
            lambda: f"abs({sub(kind)})",
        ]

    def _u32(self, sub):
        return [
            *self._whole("u32", sub),
            lambda: f"({sub('u32')} // {self.varying()})",
            lambda: f"u32({sub('i32')})",
            lambda: f"({sub('u32')} % ({sub('u32')} | 1))",
            lambda: f"u32({sub('f32')})",
            lambda: f"bitcast_u32({sub('i32')})",
            lambda: f"vec3u({sub('u32')}, {sub('u32')}, 5).{self.pick('x', 'y', 'zyx.z')}",
            lambda: f"dot(vec2u({sub('u32')}), vec2u(1, {sub('u32')}))",
            lambda: f"{self.scratch}[{sub('u32')} & {SCRATCH - 1}]",
        ]

    def _i32(self, sub):
        return [
            *self._whole("i32", sub),
            lambda: f"(-{sub('i32')})",
            lambda: f"i32({sub('u32')})",
            lambda: f"i32({sub('f32')})",
            lambda: f"vec2i({sub('i32')}).with_y({sub('i32')}).y",
            lambda: f"vec4i(1, {sub('i32')}, 3, 4)[{sub('u32')} % 4]",
            lambda: f"{sub('Pair')}.n",
        ]

    def bounded(self, text):
        return f"clamp({text}, -1000.0, 1000.0)"

    def _f32(self, sub):
        shared = [
            *(lambda op=op: self.bounded(f"{sub('f32')} {op} {sub('f32')}") for op in "+-*"),
            lambda: self.bounded(f"{sub('f32')} ** 2"),
            lambda: self.bounded(f"2 * {sub('f32')} + 1"),
            lambda: f"f32({sub('i32')} & 511)",
            lambda: f"(-{sub('f32')})",
            lambda: f"abs({sub('f32')})",
            lambda: f"max({sub('f32')}, {sub('f32')})",
            lambda: self.bounded(f"dot({sub('vec3')}, {sub('vec3')})"),
            lambda: f"sign({sub('f32')})",
            lambda: f"floor({sub('f32')} * 0.5)",
            lambda: f"{sub('vec3')}.{self.pick('x', 'y', 'z', 'zyx.x')}",
            lambda: f"{sub('vec3')}[{sub('u32')} % 3]",
            lambda: f"{sub('Pair')}.x",
            lambda: self.bounded(f"determinant(mat2(vec2({sub('f32')}, 2.0), vec2({sub('f32')})))"),
        ]
        if self.rough:
            shared += [
                lambda: f"{self.pick('sin', 'cos', 'exp2', 'atan')}({sub('f32')} * 0.037)",
                lambda: f"sqrt(abs({sub('f32')}))",
                lambda: f"({sub('f32')} / (abs({sub('f32')}) + 1.5))",  # no constant divides by 0
                lambda: f"mix({sub('f32')}, {sub('f32')}, 0.3)",
                lambda: f"length({sub('vec3')})",
            ]
        return shared

    def _vec3(self, sub):
        def bounded(text):
            return f"clamp({text}, vec3(-1000.0), vec3(1000.0))"

        return [
            lambda: f"vec3({sub('f32')}, {sub('f32')}, {sub('f32')})",
            lambda: f"vec3({sub('f32')})",
            lambda: bounded(f"{sub('vec3')} {self.pick('+', '-', '*')} {sub('vec3')}"),
            lambda: bounded(f"{sub('vec3')} * {sub('f32')}"),
            lambda: f"{sub('vec3')}.{self.pick('zyx', 'xxy', 'yzx')}",
            lambda: f"{sub('vec3')}.with_y({sub('f32')})",
            lambda: bounded(f"cross({sub('vec3')}, {sub('vec3')})"),
            lambda: bounded(
                f"mat3({sub('vec3')}, {sub('vec3')}, vec3(1.0, 2.0, 3.0)) @ {sub('vec3')}"
            ),
            lambda: f"select({sub('vec3')}, {sub('vec3')}, {sub('vec3')} < {sub('vec3')})",
        ]

    def _pair(self, sub):
        return [
            lambda: f"Pair(x={sub('f32')}, n={sub('i32')})",
            lambda: f"{sub('Pair')}.replace(n={sub('i32')})",
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
            lambda: f"any({sub('vec3')} == {sub('vec3')})",
        ]

    # Statements ------------------------------------------------------------------------------

    def write(self, depth, text):
        self.scope.lines.append("    " * depth + text)

    def block(self, depth, size):
        before = dict(self.scope.names)
        for _ in range(size):
            self.statement(depth)
        made = dict(self.scope.names)
        self.scope.names = before
        return made

    def statement(self, depth):
        choice = self.rng.random()
        if choice < 0.5 or depth > 3:
            self.assignment(depth)
        elif choice < 0.6:
            self.writes = True
            self.write(
                depth,
                f"{self.scratch}[{self.expr('u32', 2)} & {SCRATCH - 1}] = {self.expr('u32')}",
            )
        elif choice < 0.75:
            self.branch(depth)
        elif choice < 0.85:
            self.count += 1
            name = f"k{self.count}"
            bounds = self.pick("5", "2, 7", "9, -1, -3", f"{self.leaf('u32')} & 7")
            self.write(depth, f"for {name} in range({bounds}):")
            self.scope.names[name] = "u32" if "&" in bounds else "i32"
            self.scope.fixed.add(name)
            outer, self.scope.closed = self.scope.closed, self.gpu
            self.loop_body(depth + 1)
            self.scope.closed = outer
            del self.scope.names[name]
        elif choice < 0.92:
            self.count += 1
            name = f"w{self.count}"
            self.write(depth, f"{name} = u32(0)")
            self.scope.names[name] = "u32"
            self.scope.fixed.add(name)
            self.write(depth, f"while {name} < 6 and {self.expr('bool', 2)}:")
            self.write(depth + 1, f"{name} += 1")
            self.loop_body(depth + 1)
        else:
            self.write(depth, f"if {self.expr('bool', 2)}:")
            leave = self.pick("return", "break", "continue") if self.scope.loops else "return"
            leave = "continue" if self.scope.closed else leave
            tail = f" {self.result(2)}" if leave == "return" else ""
            self.write(depth + 1, leave + tail)

    def result(self, depth=3):
        """Return what a function may return, one value or two."""
        if self.returns == RESULTS:
            return f"{self.expr('f32', depth)}, {self.expr('u32', depth)}"
        return self.expr(self.returns, depth)

    def several(self, depth):
        """Assign the results of a function that has two."""
        floating, whole = f"f{self.rng.integers(4)}", f"u{self.rng.integers(4)}"
        helpers = [helper for helper in self.helpers if helper.returns == RESULTS]
        if helpers and self.chance(0.6):
            helper = self.pick(*helpers)
            given = ", ".join(self.expr(kind, 2) for kind in helper.parameters)
            self.write(depth, f"{floating}, {whole} = {helper.name}({given})")
            self.scope.names |= {floating: "f32", whole: "u32"}
        elif self.chance(0.5):  # whole numbers below 1024 stay whole
            integer = f"i{self.rng.integers(4)}"
            self.write(depth, f"{floating}, {integer} = frexp({self.expr('f32', 2)})")
            self.write(depth, f"{floating} = {self.bounded(f'{floating} * 1024.0')}")
            self.scope.names |= {floating: "f32", integer: "i32"}
        else:
            other = f"f{self.rng.integers(4, 8)}"
            self.write(depth, f"{floating}, {other} = modf({self.expr('f32', 2)})")
            self.scope.names |= {floating: "f32", other: "f32"}

    def loop_body(self, depth):
        self.scope.loops += 1
        self.block(depth, 2)
        self.scope.loops -= 1

    def branch(self, depth):
        self.write(depth, f"if {self.expr('bool')}:")
        arms = [self.block(depth + 1, 2)]
        if self.chance(0.4):
            self.write(depth, f"elif {self.expr('bool')}:")
            arms.append(self.block(depth + 1, 1))
        self.write(depth, "else:")
        arms.append(self.block(depth + 1, 2))
        first, *others = arms
        both = {n: k for n, k in first.items() if all(o.get(n) == k for o in others)}
        self.scope.names.update(both)

    def assignment(self, depth):
        kind = self.pick(*KINDS)
        # A name has one type in the whole function, whichever branch assigns it first.
        name = f"{LETTERS[kind]}{self.rng.integers(4)}"
        free = [n for n in self.known(kind) if n not in self.scope.fixed and kind != "bool"]
        if self.chance(0.08):
            self.several(depth)
        elif len(free) > 1 and self.chance(0.1):
            x, y = free[0], free[-1]
            self.write(depth, f"{x}, {y} = {y}, {x}")
        elif free and kind in ("u32", "i32") and self.chance(0.3):
            operator = self.pick("+", "^", "*")
            self.write(depth, f"{self.pick(*free)} {operator}= {self.expr(kind, 2)}")
        else:
            self.write(depth, f"{name} = {self.expr(kind)}")
            self.scope.names[name] = kind

    # Functions -------------------------------------------------------------------------------

    def helper(self, name):
        count = int(self.rng.integers(1, 4))
        parameters = [self.pick("u32", "i32", "f32", "vec3", "Pair") for _ in range(count)]
        self.returns = self.pick("u32", "i32", "f32", "vec3", "Pair", RESULTS)
        names = {f"p{k}": kind for k, kind in enumerate(parameters)}
        self.writes = False
        self.scope = Scope(dict(names), tuple(names), set(names))
        text = ", ".join(f"{n}: {kind}" for n, kind in names.items())
        self.write(0, f"def {name}({text}) -> {self.returns}:")
        self.scope.names = self.block(1, int(self.rng.integers(1, 3)))
        self.write(1, f"return {self.result()}")
        self.helpers.append(Helper(name, parameters, self.returns, self.writes))
        return "\n".join(self.scope.lines) + "\n"

    def main(self, name):
        signature = {**SIGNATURE, "d": "f32"} if self.quads else SIGNATURE
        self.returns = "u32"
        self.scope = Scope(dict(signature), tuple(signature))
        text = ", ".join(f"{n}: {kind}" for n, kind in signature.items())
        self.write(0, f"def {name}({text}) -> u32:")
        for k in range(3 if self.quads else 0):  # all pixels of a block have to be there
            derivative = self.pick("dpdx_fine", "dpdy_fine", "fwidth", "dpdx_coarse", "dpdy")
            value = self.bounded(f"{derivative}({self.expr('f32')} + c)")
            self.write(1, f"f{k} = {value}")
            self.scope.names[f"f{k}"] = "f32"
        self.scope.names = self.block(1, self.size)
        parts = [self.digest(n, k) for n, k in self.scope.names.items() if k != "bool"]
        parts.append(f"{self.scratch}[3]")
        self.write(1, "return " + " ^ ".join(f"{p} * {3 + 2 * k}" for k, p in enumerate(parts)))
        return "\n".join(self.scope.lines) + "\n"

    def digest(self, name, kind):
        """Return a u32 that depends on the value of a variable."""
        if kind == "Pair":
            return f"({self.digest(name + '.x', 'f32')} + u32({name}.n))"
        if kind == "vec3":
            return self.digest(f"dot({name}, vec3(1.0, 2.0, 4.0))", "f32")
        if kind == "f32" and self.rough:
            return f"bitcast_u32({name})"
        return name if kind == "u32" else f"u32({name})"


LETTERS = {"u32": "u", "i32": "i", "f32": "f", "bool": "t", "vec3": "v", "Pair": "q"}
BITS = (
    "count_one_bits",
    "reverse_bits",
    "first_leading_bit",
    "first_trailing_bit",
    "count_leading_zeros",
)


@dataclass
class Program:
    """A random program.

    ``call(a, b, c)`` runs it in CPython; ``function.ir`` is its typed form.
    """

    function: object
    text: str
    scratch: object

    def call(self, a, b, c):
        with self.scratch.bound_to(np.zeros(SCRATCH, np.uint32)):
            return int(
                self.function(
                    shader.u32(int(a)), shader.i32(shader.u32(int(b))), shader.f32(int(c) % 100)
                )
            )


def program(seed, *, helpers=2, size=5, rough=False, quads=False, gpu=False):
    """Return the program of that seed."""
    author = Author(seed, size=size, rough=rough, quads=quads, gpu=gpu)
    scope = {key: getattr(shader, key) for key in dir(shader) if not key.startswith("_")}
    scratch = shader.private(author.scratch, shader.u32, SCRATCH)
    scope |= {"Pair": Pair, author.scratch: scratch}
    texts = []
    for k in range(helpers if not quads else 0):
        texts.append(author.helper(f"helper_{seed}_{k}"))
        _defined(texts[-1], f"helper_{seed}_{k}", scope)
    texts.append(author.main(f"random_{seed}"))
    return Program(_defined(texts[-1], f"random_{seed}", scope), "\n".join(texts), scratch)


def _defined(text, name, scope):
    filename = f"<random program {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), scope)
    scope[name] = shader.function(source=text)(scope[name])
    return scope[name]


def inputs(count, seed=0):
    """Return ``(count, 3)`` words: half of them small numbers."""
    given = np.random.default_rng(seed).integers(0, 1 << 32, (count, 3), dtype=np.uint32)
    given[: count // 2] %= 12
    return given


def columns(given):
    """Return input words as the parameters of a program."""
    return {
        "a": given[:, 0],
        "b": given[:, 1].view(np.int32),
        "c": (given[:, 2] % 100).astype(np.float32),
    }


def phases(seed, lanes):
    """Return a compute function whose invocations exchange numbers between barriers.

    It reads ``source`` and writes ``target``, both of ``lanes`` words.
    """
    author = Author(seed, gpu=True)
    source = shader.storage("source", shader.u32, binding=0)
    target = shader.storage("target", shader.u32, binding=1, access="read_write")
    shared = shader.workgroup("shared", shader.u32, lanes)
    rng = author.rng
    author.scope = Scope({"u0": "u32", "u1": "u32"}, ("u0",))
    author.scratch = "source"
    author.write(0, f"def phases_{seed}(lane: u32 = builtin.local_invocation_index):")
    author.write(1, "u0 = source[lane]")
    author.write(1, "u1 = u0")
    for _ in range(int(rng.integers(1, 4))):
        author.write(1, f"shared[lane] = {author.expr('u32')}")
        author.write(1, "workgroup_barrier()")
        if author.chance(0.5):
            author.write(1, f"for step in range({int(rng.integers(1, 4))}):")
            author.write(2, f"u1 += shared[(lane + {author.expr('u32', 2)} + u32(step)) % {lanes}]")
            author.write(2, "workgroup_barrier()")
            author.write(2, f"if lane < {int(rng.integers(1, lanes))}:")
            author.write(3, f"shared[lane] = u1 ^ {author.expr('u32', 2)}")
            author.write(2, "workgroup_barrier()")
        else:
            author.write(1, f"u1 ^= shared[({author.expr('u32', 2)}) % {lanes}]")
            author.write(1, f"u1 *= shared[lane ^ {int(rng.integers(0, lanes))}]")
        author.write(1, "workgroup_barrier()")
    author.write(1, f"target[lane] = u1 ^ {author.expr('u32')}")
    text = "\n".join(author.scope.lines) + "\n"
    scope = {key: getattr(shader, key) for key in dir(shader) if not key.startswith("_")}
    scope |= {"Pair": Pair, "source": source, "target": target, "shared": shared}
    name = f"phases_{seed}"
    filename = f"<random program {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), scope)
    return shader.compute(workgroup_size=lanes, source=text)(scope[name]), text
