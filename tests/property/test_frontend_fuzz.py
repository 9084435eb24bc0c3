"""Damaged shader functions are refused with an error of ours, or compiled: never anything else.

``make fuzz SECONDS=600`` runs it for as long as you like.
"""

from __future__ import annotations

import ast
import enum
import faulthandler
import io
import os
import random
import signal
import time
import tokenize
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heapscene.shader as language
from heapscene.errors import HeapsceneError, ShaderError
from heapscene.shader import emit, ir

# What is compiled is put into a fragment function, whatever it uses.
pytestmark = pytest.mark.refused_wgsl
SECONDS = float(os.environ.get("HEAPSCENE_FUZZ_SECONDS", "0"))

HEADER = """\
@struct
class Surface:
    normal: vec3
    height: f32 = 1.0

GAIN = 0.5
OFFSETS = vec3(1.0, 2.0, 3.0)
numbers = storage("numbers", f32, binding=0)
results = storage("results", u32, binding=1, access="read_write")
tile = workgroup("tile", f32, 64)
counters = storage("counters", atomic_u32, binding=2, access="read_write")
image = texture_2d("image", vec4, binding=3)
smooth = sampler("smooth", binding=4)
canvas = texture_storage_2d("canvas", "rgba8unorm", access="write", binding=5)

class Kind(enum.IntEnum):
    ROUND = 1
    FLAT = 2

@function
def helper(x: f32, y: f32 = 2.0) -> f32:
    return max(x, y) * GAIN

@function
def make(n: vec3) -> Surface:
    return Surface(normal=n, height=n.y)
"""

SEEDS = [
    """\
def f(a: f32, b: vec3, n: u32) -> vec3:
    total = vec3(0.0)
    for k in range(4):
        if a > 0.5 and n != 3:
            total += b * f32(k)
        elif k == 2:
            continue
        else:
            break
    return normalize(total) + OFFSETS.zyx * helper(a, y=1.0)
""",
    """\
def f(m: mat4, p: vec4, n: i32) -> vec4:
    q = m @ p
    x, y = q.x, q.y
    while x < 10.0:
        x = x * 2.0 + helper(y)
        if x > 8.0:
            return vec4(x, q.yzw)
    return q.with_x(x) if n > -1 else m[1] + vec4(1.0)
""",
    """\
def f(s: Surface, n: u32) -> f32:
    t = s.replace(height=s.height + 1.0)
    made = make(t.normal)
    flags = (n << 3) | (n & 7) ^ ~n
    results[n % 16] = flags // 2 + n
    results[0] += n
    v: vec2 = vec2(made.height, t.height)
    return dot(v, v.yx) + numbers[flags & u32(15)]
""",
    """\
def f(n: u32, flag: bool) -> u32:
    found = u32(0)
    for k in range(10, 0, -2):
        found = max(found, u32(k))
    tile[n] = 1.0 if flag or not n > 3 else 2.0
    low, high = 0, 10
    while low < high:
        middle = (low + high) >> 1
        if found < u32(middle):
            high = middle
        else:
            low = middle + 1
    return u32(low) + count_one_bits(n)
""",
    """\
def f(kind: Kind, n: u32, uv: vec2) -> vec4:
    color = texture_sample_level(image, smooth, uv, 0.0)
    match kind:
        case Kind.ROUND if n > 2:
            color = color.zyxw
        case Kind.FLAT | Kind.ROUND:
            color = color * vec4(0.5)
        case _:
            pass
    for weight in static([GAIN, 2.0 * GAIN]):
        color += vec4(weight)
    if static(GAIN > 0.25):
        atomic_add(counters[n], 2)
    size = texture_dimensions(image)
    return color * squared(f32(size.x)) ** 2
""",
    """\
def f(m: mat2x3, v: vec2, n: i32) -> vec3:
    t = transpose(m)
    low = atomic_max(counters[0], u32(n))
    value = texture_load(image, vec2i(n, 0), 0)
    texture_store(canvas, vec2u(low, 1), value)
    atomic_store(counters[1], atomic_load(counters[2]))
    p = pack4x8unorm(value) if n == 1 or n == 2 else u32(0)
    return m @ v + (v @ t) * f32(extract_bits(p, u32(3), u32(4)))
""",
    """\
def f(x: f32, n: u32 = 2) -> tuple[f32, vec2]:
    fract, whole = modf(x * 0.5)
    part, exponent = frexp(min(fract, whole, 3.0))
    texel = texture_sample_level(image, smooth, vec2(x), 0.0, vec2i(1, -2))
    both = vec2(ldexp(part, exponent), texel.x)
    if n == 1 or 2 == n:
        return whole, both
    return 0, vec2(workgroup_uniform_load(tile[0]), texel[n % 4])
""",
]

POOL = """
+ - * / // % @ ** & | ^ ~ << >> < > <= >= == != = += -= *= ( ) [ ] { } , : . -> := not and or is in if
else elif for while return break continue pass def class lambda yield await async with try except
finally raise global nonlocal del import from assert match None True False ... 0 1 -1 2.0 1e30 1e400
4294967296 99999999999999999999 0x7fffffff 1j "text" f"{a}" b"x" a b n m p s k x q v total f helper make
Surface GAIN OFFSETS numbers results tile vec2 vec3 vec4 mat2 mat4 f32 i32 u32 bool int float range max min
normalize dot cross static match case Kind Kind.ROUND _ image smooth canvas counters texture_sample
atomic_add squared select transpose discard dpdx workgroup_barrier array_length x y z xyz xx with_x
modf frexp tuple[f32, f32] vec2i(1) workgroup_uniform_load
replace normal height self print len __class__ __init__ fn let var ptr 变量 é *a **a @ \\ ;
""".split()  # noqa: SIM905
TEXTS = ["\n", "\n    ", "\n        ", " ", "#", "'", '"""']


def tokens_of(text: str) -> list[str]:
    """The words of a text with the space before them, so that they can be put together again."""
    found: list[str] = []
    lines = text.splitlines(keepends=True)
    at = (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        gap = ""
        if token.start[0] == at[0]:
            gap = lines[at[0] - 1][at[1] : token.start[1]]
        elif token.start[0] <= len(lines):
            gap = lines[token.start[0] - 1][: token.start[1]]
        found.append(gap + token.string)
        at = token.end
    return found


TOKENS = [tokens_of(seed) for seed in SEEDS]


def by_tokens(rng: random.Random) -> str:
    """Delete, double, swap, replace and insert words."""
    words = list(rng.choice(TOKENS))
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        at, other = rng.randrange(3, len(words)), rng.randrange(3, len(words))
        match rng.randrange(6):
            case 0:
                del words[at]
            case 1:
                words[at], words[other] = words[other], words[at]
            case 2:
                words.insert(at, words[other])
            case 3:
                words[at] = " " + rng.choice(POOL)
            case 4:
                words.insert(at, " " + rng.choice(POOL))
            case _:
                words.insert(at, rng.choice(TEXTS))
        if len(words) < 8:
            break
    return "".join(words)


TREES = [ast.parse(seed) for seed in SEEDS]
PIECES = [node for tree in TREES for node in ast.walk(tree)]
EXPRESSIONS = [node for node in PIECES if isinstance(node, ast.expr)]
STATEMENTS = [node for node in PIECES if isinstance(node, ast.stmt)]
ODD = ["[*a, 1]", "{a: b}", "lambda: a", "(a := n)", "a if b else n", "[k for k in range(3)]", "-(-a)",
       "f(a)", "helper(helper(a))", "helper(*[a])", "vec3(x=a)", "Surface()", "a.b.c.d", "(a, (b, n))",
       "numbers[numbers[0]]", "1 < a < 2 < n", "not not n", "tile", "OFFSETS[n]", "s.normal.x.y",
       "''.join", "a[1:2, 3]", "vec3", "make(b).normal.zyx", "~-n", "2 ** 70", "1 << 40", "a @ b @ n"]  # fmt: skip
EXPRESSIONS += [ast.parse(text, mode="eval").body for text in ODD]


class Graft(ast.NodeTransformer):
    """Puts pieces of any function in the place of others."""

    def __init__(self, rng: random.Random, rate: float) -> None:
        self.rng = rng
        self.rate = rate

    def visit(self, node: ast.AST) -> Any:
        if self.rng.random() < self.rate:
            context = getattr(node, "ctx", None)
            if isinstance(node, ast.expr) and not isinstance(context, ast.Store):
                return self.rng.choice(EXPRESSIONS)
            if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
                return self.rng.choice(STATEMENTS)
        return super().generic_visit(node)


def by_trees(rng: random.Random) -> str:
    """Graft expressions and statements."""
    import copy

    tree = copy.deepcopy(rng.choice(TREES))
    Graft(rng, rng.choice([0.02, 0.05, 0.2])).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


NAMESPACE = {name: getattr(language, name) for name in language.__dict__ if name[0] != "_"}
SCOPE: dict[str, Any] = {**NAMESPACE, "__name__": "fuzz", "enum": enum}


@language.wgsl_function("return x * x;")
def squared(x: language.f32) -> language.f32:
    return x * x


def prepare() -> None:
    """Define what the functions use."""
    text = HEADER
    SCOPE["squared"] = squared
    for name in ("helper", "make"):
        start = text.index(f"def {name}")
        body = text[start:].split("\n\n")[0]
        SCOPE[f"TEXT_{name}"] = body + "\n"
        text = text.replace(f"@function\ndef {name}", f"@function(source=TEXT_{name})\ndef {name}")
    exec(compile(text, "<fuzz>", "exec"), SCOPE)


prepare()


class TooLong(BaseException):
    """A compilation did not end."""


def read_by_us(error: BaseException) -> bool:
    """Whether an error comes from the decorator, and not from a default or an annotation."""
    place = error.__traceback__
    while place is not None:
        if place.tb_frame.f_code.co_filename.endswith(("shader/stages.py", "shader/source.py")):
            return True
        place = place.tb_next
    return False


def attempt(text: str) -> str:
    """Compile a damaged function; return what became of it."""
    try:
        code = compile(f"@function(source=SOURCE)\n{text}", "<fuzz>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, OverflowError, RecursionError):
        return "not Python"
    # Annotations and defaults are evaluated by Python; what they raise is not ours.
    scope = dict(SCOPE, SOURCE=text)
    try:
        exec(code, scope)
    except ShaderError:
        return "refused"
    except Exception as error:
        if read_by_us(error):
            raise
        return "not Python"
    shader = scope.get("f")
    if not isinstance(shader, language.ShaderFunction):
        return "not Python"
    try:
        function = shader.ir
    except ShaderError as error:
        if not str(error).strip():
            raise ValueError("a fault without words") from error
        return "refused"
    ir.verify_function(function)
    module = ir.Module((ir.EntryPoint("fragment", wrapper(function)),))
    try:
        emit(module)
    except HeapsceneError:
        return "refused"
    return "compiled"


def wrapper(function: ir.Function) -> ir.Function:
    body = ir.FunctionBuilder("main")
    args = [ir.zero(parameter.type) for parameter in function.parameters]
    body.evaluate(ir.call(function, *args))
    return body.done()


def within(seconds: int, text: str) -> str:
    """Compile, and see to it that it ends."""

    def stop(*_: object) -> None:
        raise TooLong(text)

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return attempt(text)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@given(st.integers(0, 2**32), st.booleans())
def test_damaged_functions(seed: int, trees: bool) -> None:
    rng = random.Random(seed)
    text = by_trees(rng) if trees else by_tokens(rng)
    try:
        within(20, text)
    except (Exception, TooLong) as error:
        raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error


DEEP = {
    "sum": lambda n: "def f(a: f32) -> f32:\n    return a" + " + a" * n,
    "calls": lambda n: f"def f(a: f32) -> f32:\n    return {'helper(' * n}a{')' * n}",
    "and": lambda n: "def f(a: bool) -> bool:\n    return a" + " and a" * n,
    "swizzles": lambda n: "def f(a: vec3) -> vec3:\n    return a" + ".zyx" * n,
    "elif": lambda n: (
        "def f(a: f32) -> f32:\n    if a > 0.0:\n        return a\n"
        + "".join(f"    elif a > {k}.0:\n        return {k}.5\n" for k in range(n))
        + "    return a"
    ),
    "lines": lambda n: "def f(a: f32) -> f32:\n" + "    a = a * 2.0\n" * n + "    return a",
}


@pytest.mark.parametrize("shape", DEEP)
@pytest.mark.parametrize("n", [50, 400, 900, 2500])
def test_what_is_nested_deeply_is_refused_at_last(shape: str, n: int) -> None:
    found = within(20, DEEP[shape](n) + "\n")
    expected = "compiled" if n == 50 or shape == "lines" else "refused"
    assert found in {expected, "not Python"}
    assert found == expected or n > 100


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_what_is_damaged_was_right(seed: str) -> None:
    assert attempt(seed) == "compiled"
    assert "".join(tokens_of(seed)) == seed


@pytest.mark.skipif(SECONDS == 0, reason="type:  make fuzz SECONDS=600")
@pytest.mark.timeout(SECONDS + 120)
def test_for_a_while() -> None:
    faulthandler.enable()
    end = time.monotonic() + SECONDS
    seed = int(os.environ.get("HEAPSCENE_FUZZ_SEED", str(time.time_ns() % 2**32)))
    counts = {"compiled": 0, "refused": 0, "not Python": 0}
    faults: dict[str, str] = {}
    while time.monotonic() < end:
        seed += 1
        rng = random.Random(seed)
        text = by_trees(rng) if seed % 2 else by_tokens(rng)
        try:
            counts[within(20, text)] += 1
        except (Exception, TooLong) as error:  # noqa: BLE001  whatever it is, it is counted
            place = error.__traceback__
            while place and place.tb_next:
                place = place.tb_next
            where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else ""
            faults.setdefault(f"{type(error).__name__} at {where}", f"seed {seed}\n{error}\n{text}")
    print(counts, f"{len(faults)} faults")
    assert not faults, "\n\n".join(f"{what}\n{text}" for what, text in faults.items())
