"""Random state rules, as people write them: flags, modes, thresholds, levels, masks, helpers, loops.

``make_rule(seed)`` gives a rule, what is known of its inputs, and inputs that fit it, drawn near the
thresholds of the rule so that rare paths are taken.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass

import numpy as np

from heapscene import shader
from heapscene.shader.sets import Range


@shader.struct
class Choice:
    cull: shader.u32
    write: bool
    level: shader.u32


HELPERS = """
def flipped(mode: u32) -> u32:
    if mode == 1:
        return u32(2)
    if mode == 2:
        return u32(1)
    return mode


def chosen(level: u32, near: bool) -> u32:
    best = level
    if near and level > 0:
        best = level - 1
    return min(best, u32(4))


def zone(x: f32) -> u32:
    for k in range(3):
        if x < f32(k) * 8.0:
            return u32(k)
    return u32(3)


def is_wide(mode: u32, level: u32) -> bool:
    return mode == 2 or level >= 2
"""


@dataclass
class Rule:
    """A random rule with its inputs."""

    function: shader.ShaderFunction
    text: str
    known: dict[str, object]
    inputs: dict[str, np.ndarray]


class Author:
    """Writes one rule."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.lines = []
        self.known = {}
        self.kinds = {}
        self.thresholds = {}
        self.loops = 0
        self.numbers = 0

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def chance(self, share):
        return self.rng.random() < share

    def named(self, kind):
        return [name for name, found in self.kinds.items() if found == kind]

    # Inputs ----------------------------------------------------------------------------------

    def parameters(self):
        makers = {
            "mode": lambda: ("u32", set(range(int(self.rng.integers(2, 5))))),
            "seen": lambda: ("bool", None),
            "lit": lambda: ("bool", self.pick(None, {True, False}, False)),
            "layer": lambda: ("u32", Range(0, int(self.rng.integers(1, 8)))),
            "order": lambda: ("u32", {int(n) for n in self.rng.integers(0, 9, 3)}),
            "x": lambda: ("f32", self.pick(Range(0.0, 100.0), Range(0.0, 100.0), Range(), None)),
            "y": lambda: ("f32", self.pick(Range(-1.0, 1.0), Range(0.0, 50.0), {0.5, 2.0, 9.0})),
            "p": lambda: ("vec3", self.pick(Range(-20.0, 20.0), None)),
            "bits": lambda: ("u32", None),
            "n": lambda: ("i32", self.pick(Range(-5, 5), {-1, 0, 3}, None)),
        }
        names = list(makers)
        count = int(self.rng.integers(2, 6))
        chosen = sorted(self.rng.choice(len(names), count, replace=False))
        for k in chosen:
            name = names[k]
            self.kinds[name], known = makers[name]()
            if known is not None:
                self.known[name] = known
        return ", ".join(f"{name}: {kind}" for name, kind in self.kinds.items())

    # Expressions -----------------------------------------------------------------------------

    def threshold(self, name, *options):
        value = float(self.pick(*options))
        self.thresholds.setdefault(name, []).append(value)
        return f"{value}"

    def condition(self, depth=2):
        options = [*(lambda name=n: name for n in self.named("bool"))]
        if self.named("f32"):
            options += [self.over_threshold, self.over_threshold, self.in_band]
        if "p" in self.kinds:
            options.append(lambda: f"length(p) > {self.threshold('p', 5, 10, 20)}")
            options.append(lambda: f"p.z < {self.threshold('p', 0, -5, 5)}")
        if "n" in self.kinds:
            options.append(lambda: f"n {self.pick('<', '>=', '==', '!=')} {self.pick(0, 2, -1)}")
        if "bits" in self.kinds:
            options.append(lambda: f"(bits & {self.pick(1, 4, 6)}) != 0")
        options.append(lambda: self.compared(depth))
        if depth > 0:
            options += [
                lambda: f"({self.condition(depth - 1)} and {self.condition(depth - 1)})",
                lambda: f"({self.condition(depth - 1)} or {self.condition(depth - 1)})",
                lambda: f"(not {self.condition(depth - 1)})",
                lambda: f"is_wide({self.small(0)}, {self.small(0)})",
            ]
        return self.pick(*options)()

    def over_threshold(self):
        name = self.pick(*self.named("f32"))
        value = self.threshold(name, 0, 0.5, 10, 25, 50)
        return f"{self.number(name)} {self.pick('<', '<=', '>', '>=')} {value}"

    def in_band(self):
        name = self.pick(*self.named("f32"))
        low = float(self.pick(0.25, 5, 20))
        self.thresholds.setdefault(name, []).extend((low, low * 2))
        return f"{low} <= {name} < {low * 2}"

    def compared(self, depth):
        op = self.pick("==", "!=", "<", ">=", ">")
        return f"{self.small(max(depth - 1, 0))} {op} {self.pick(0, 1, 2, 3)}"

    def number(self, name):
        return self.pick(
            name, name, name, f"{name} * 0.5", f"({name} + 1.0)", f"abs({name} - 10.0)",
            f"max({name}, 1.0)",
        )  # fmt: skip

    def small(self, depth=2):
        options = [lambda: f"u32({self.rng.integers(0, 5)})"]
        options += [*(lambda name=n: name for n in self.named("small") for _ in range(2))]
        options += [*(lambda name=n: name for n in ("mode", "layer") if n in self.kinds)]
        if "bits" in self.kinds:
            options.append(lambda: f"((bits >> {self.pick(0, 3, 30)}) & {self.pick(1, 3)})")
        if "order" in self.kinds:
            options.append(lambda: f"(order % {self.pick(2, 3)})")
        if depth > 0:
            options += self.composed(depth)
        return self.pick(*options)()

    def composed(self, depth):
        def sub():
            return self.small(depth - 1)

        options = [
            lambda: f"min({sub()}, u32({self.pick(1, 2, 3)}))",
            lambda: f"max({sub()}, {sub()})",
            lambda: f"clamp({sub()} + 1, 1, {self.pick(2, 3)})",
            lambda: f"(({sub()} + {self.pick(1, 2)}) % {self.pick(2, 3, 4)})",
            lambda: f"select({sub()}, {sub()}, {self.condition(depth - 1)})",
            lambda: f"({sub()} if {self.condition(depth - 1)} else {sub()})",
            lambda: f"flipped({sub()})",
            lambda: f"chosen({sub()}, {self.condition(depth - 1)})",
            lambda: f"({sub()} ^ {self.pick(1, 2)})",
            lambda: f"({sub()} | 1)",
        ]
        for name in self.named("f32"):
            options += [
                lambda name=name: f"u32(step({self.threshold(name, 1, 10, 50)}, {name}))",
                lambda name=name: f"zone({self.number(name)})",
            ]
            if self.known.get(name) not in (None, Range()):
                scale = self.pick("0.05", "0.25")
                options.append(
                    lambda name=name, scale=scale: f"u32(clamp(floor({name} * {scale}), 0.0, 3.0))"
                )
        if "n" in self.kinds:
            options.append(lambda: f"u32(clamp(n, 0, {self.pick(1, 2)}))")
        return options

    # Statements ------------------------------------------------------------------------------

    def write(self, depth, text):
        self.lines.append("    " * depth + text)

    def statement(self, depth):
        draw = self.rng.random()
        if depth >= 3 or draw < 0.3:
            self.assignment(depth)
        elif draw < 0.6:
            self.branch(depth)
        elif draw < 0.7:
            self.write(depth, f"if {self.condition()}:")
            self.write(depth + 1, f"return {self.result()}")
        elif draw < 0.8 and not self.loops:
            self.loop(depth)
        elif draw < 0.86 and not self.loops:
            self.while_loop(depth)
        else:
            self.levels(depth)

    def assignment(self, depth):
        if self.chance(0.2):
            name = self.pick(*self.named("flag_variable"))
            self.write(depth, f"{name} = {self.condition()}")
            return
        name = self.pick(*self.named("small"))
        if self.chance(0.25):
            self.write(depth, f"{name} = min({name} + 1, u32({self.pick(2, 3, 4)}))")
        else:
            self.write(depth, f"{name} = {self.small()}")

    def branch(self, depth):
        self.write(depth, f"if {self.condition()}:")
        self.statement(depth + 1)
        if self.chance(0.3):
            self.write(depth, f"elif {self.condition()}:")
            self.statement(depth + 1)
        if self.chance(0.6):
            self.write(depth, "else:")
            self.statement(depth + 1)

    def levels(self, depth):
        """Write a row of thresholds."""
        floats = self.named("f32")
        name = self.pick(*self.named("small"))
        if not floats:
            self.assignment(depth)
            return
        x = self.pick(*floats)
        word = "if"
        for level, edge in enumerate(sorted({float(e) for e in self.rng.integers(1, 60, 3)})):
            self.thresholds.setdefault(x, []).append(edge)
            self.write(depth, f"{word} {x} < {edge}:")
            self.write(depth + 1, f"{name} = u32({level})")
            word = "elif"
        self.write(depth, "else:")
        self.write(depth + 1, f"{name} = u32({self.pick(3, 4)})")

    def loop(self, depth):
        self.numbers += 1
        k = f"k{self.numbers}"
        end = self.pick("3", "4", "layer" if "layer" in self.kinds else "2")
        self.write(depth, f"for {k} in range({end}):")
        floats = self.named("f32")
        name = self.pick(*self.named("small"))
        self.loops += 1
        if floats and self.chance(0.5):
            x = self.pick(*floats)
            edges = [10.0 * n for n in range(4)]
            self.thresholds.setdefault(x, []).extend(edges)
            self.write(depth + 1, f"if {x} > f32({k}) * 10.0:")
            self.write(depth + 2, f"{name} += 1")
        else:
            self.statement(depth + 1)
        if self.chance(0.4):
            self.write(depth + 1, f"if {self.condition(1)} or u32({k}) == {name}:")
            self.write(depth + 2, self.pick("break", "continue", f"return {self.result()}"))
        self.write(depth + 1, f"{name} = min({name}, u32(6))")
        self.loops -= 1

    def while_loop(self, depth):
        self.numbers += 1
        w = f"w{self.numbers}"
        self.write(depth, f"{w} = u32(0)")
        self.loops += 1
        self.write(depth, f"while {w} < {self.pick(2, 4)} and {self.condition(1)}:")
        self.write(depth + 1, f"{w} += 1")
        self.statement(depth + 1)
        self.loops -= 1
        name = self.pick(*self.named("small"))
        self.write(depth, f"{name} = {self.pick(w, f'min({name} + {w}, u32(4))')}")

    def result(self):
        if self.returns == "bool":
            return self.condition()
        if self.returns == "i32":
            return f"i32({self.small()}) - {self.pick(0, 1)}"
        if self.returns == "Choice":
            return f"Choice(cull={self.small(1)}, write={self.condition(0)}, level={self.small(1)})"
        return self.small()

    def rule(self, name):
        parameters = self.parameters()
        self.returns = self.pick("u32", "u32", "u32", "i32", "bool", "Choice")
        self.write(0, f"def {name}({parameters}) -> {self.returns}:")
        for variable in ("a", "b"):
            self.write(1, f"{variable} = {self.small(1)}")
            self.kinds[variable] = "small"
        self.write(1, f"flag = {self.condition(1)}")
        self.kinds["flag"] = "flag_variable"
        for _ in range(int(self.rng.integers(2, 6))):
            self.statement(1)
        self.write(1, f"return {self.final()}")
        return "\n".join(self.lines) + "\n"

    def final(self):
        if self.returns == "u32":
            return self.pick("a", "b", "max(a, b)", "(a if flag else b)", self.small())
        if self.returns == "bool":
            return self.pick("flag", "(flag and a > 1)", self.condition())
        if self.returns == "Choice":
            return "Choice(cull=a, write=flag, level=b)"
        return "i32(a) - i32(b)"

    # Inputs that fit -------------------------------------------------------------------------

    def samples(self, count):
        made = {}
        for name, kind in self.kinds.items():
            if kind in ("small", "flag_variable"):
                continue
            known = self.known.get(name)
            if isinstance(known, (set, frozenset)):
                made[name] = self.rng.choice(np.array(sorted(known)), count)
            elif isinstance(known, bool):
                made[name] = np.full(count, known)
            elif kind == "bool":
                made[name] = self.rng.random(count) < 0.5
            elif kind == "u32" and known is None:
                made[name] = self.rng.integers(0, 1 << 32, count, dtype=np.uint32)
            elif kind in ("u32", "i32"):
                low, high = (known.low, known.high) if known else (-9, 9)
                made[name] = self.rng.integers(low, high + 1, count)
                if known is None:
                    made[name][::7] = self.rng.integers(-(1 << 31), 1 << 31, count)[::7]
            elif kind == "vec3":
                made[name] = self.floats(name, known, (count, 3))
            else:
                made[name] = self.floats(name, known, (count,))
        types = {"u32": np.uint32, "i32": np.int32, "f32": np.float32, "vec3": np.float32}
        return {n: v.astype(types.get(self.kinds[n], bool)) for n, v in made.items()}

    def floats(self, name, known, shape):
        bounded = known is not None and np.isfinite(known.low)
        low, high = (known.low, known.high) if bounded else (-120.0, 120.0)
        values = self.rng.uniform(low, high, shape).astype(np.float32)
        edges = np.array([*self.thresholds.get(name, []), 0.0, low, high], np.float32)
        near = self.rng.choice(edges, shape)
        towards = np.where(self.rng.random(shape) < 0.5, np.inf, -np.inf).astype(np.float32)
        beside = np.nextafter(near, towards)
        draw = self.rng.random(shape)
        values = np.where(draw < 0.15, near, np.where(draw < 0.3, beside, values))
        values = np.clip(values, np.float32(low), np.float32(high))
        if not bounded:
            special = np.array([np.inf, -np.inf, 3e38, -3e38], np.float32)
            if known is None:
                special = np.append(special, np.float32(np.nan))
            odd = self.rng.random(shape) < 0.02
            values = np.where(odd, self.rng.choice(special, shape), values)
        return values


def compiled(text, name):
    """Return the text of a function as a function, so that positions are known."""
    scope = {key: getattr(shader, key) for key in dir(shader) if not key.startswith("_")}
    scope.update(_HELPERS)
    scope["Choice"] = Choice
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), scope)
    return shader.function(source=text)(scope[name])


def _helpers():
    made = {}
    for part in HELPERS.strip().split("\n\n\n"):
        name = part.split("(")[0].removeprefix("def ")
        made[name] = compiled(part + "\n", name)
    return made


_HELPERS: dict[str, shader.ShaderFunction] = {}
_HELPERS.update(_helpers())


def make_rule(seed, count=10_000):
    """Return the rule of a seed, with that many inputs."""
    author = Author(seed)
    name = f"random_rule_{seed}"
    text = author.rule(name)
    return Rule(compiled(text, name), text, author.known, author.samples(count))
