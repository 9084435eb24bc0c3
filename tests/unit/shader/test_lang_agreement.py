"""What CPython accepts the compiler accepts, with the same type; and both refuse the same."""

import inspect
import itertools

import pytest

import heapscene.shader as sh
from heapscene.errors import ShaderError
from heapscene.shader import f32, i32, mat2, mat3, u32, vec2, vec2b, vec3, vec3i, vec3u
from heapscene.shader.lang import INTRINSICS, type_of, zero
from heapscene.shader.operations import INTRINSICS as COMPILED
from heapscene.shader.operations import PARTS, binary_type, spelled

TYPES = (f32, i32, u32, bool, vec2, vec2b, vec3, vec3i, vec3u, mat2, mat3)
OPERATORS = (*"+-*/%@&|^<>", "//", "**", "<<", ">>", "==", "!=", "<=", ">=")


def made(text: str) -> sh.ShaderFunction:
    scope = {**vars(sh), "bool": bool, "TEXT": text}
    exec(text, scope)
    return scope["run"]


def compiles(text: str) -> bool:
    try:
        _ = made(text).ir
    except ShaderError:
        return False
    return True


def python_result(text: str, arguments: list[object]) -> type | None:
    """Return the class of the result; ``None`` if it was refused."""
    free = text.replace(" -> WHAT", "")
    try:
        return type(made(free)(*arguments))
    except (TypeError, AttributeError):
        return None


def check(text: str, classes: list[type], expected: type | None) -> None:
    found = python_result(text, [zero(type_of(cls)) for cls in classes])
    if found is None:
        candidates = {spelled(expected)} if expected is not None else set()
        candidates |= {spelled(type_of(cls)) for cls in classes}
        accepted = [r for r in sorted(candidates) if compiles(text.replace("WHAT", r))]
        assert not accepted, "CPython refuses, the compiler does not"
    else:
        assert compiles(text.replace("WHAT", spelled(type_of(found)))), found


def function_text(expression: str, classes: list[type]) -> str:
    names = [f"{name}: {spelled(type_of(cls))}" for name, cls in zip("abcd", classes, strict=False)]
    return (
        f"@function(source=TEXT)\ndef run({', '.join(names)}) -> WHAT:\n    return {expression}\n"
    )


@pytest.mark.parametrize("operator", OPERATORS)
def test_binary_operators(operator):
    for left, right in itertools.product(TYPES, TYPES):
        text = function_text(f"a {operator} b", [left, right])
        expected = (
            binary_type(operator, type_of(left), type_of(right)) if operator != "//" else None
        )
        check(text, [left, right], expected)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("literal", ["2", "2.5", "-1", "True"])
def test_literals(operator, literal):
    for cls in TYPES:
        for expression in (f"a {operator} {literal}", f"{literal} {operator} a"):
            check(function_text(expression, [cls]), [cls], type_of(cls))


@pytest.mark.parametrize("expression", ["-a", "+a", "~a", "not a", "a.x", "a.xy", "a[0]", "a[1].x"])
def test_unary(expression):
    for cls in TYPES:
        check(function_text(expression, [cls]), [cls], type_of(cls))


@pytest.mark.parametrize("target", ["f32", "i32", "u32", "bool", "vec2", "vec3", "vec3u", "mat2"])
def test_conversions(target):
    for cls in TYPES:
        check(function_text(f"{target}(a)", [cls]), [cls], None)


def test_same_intrinsics():
    parts = {part for names in PARTS.values() for part in names}
    assert set(COMPILED) - set(INTRINSICS) == parts
    assert all(len(names) == 2 for names in PARTS.values())
    special = {"discard", "bitcast_f32", "bitcast_i32", "bitcast_u32"}
    assert set(INTRINSICS) - set(COMPILED) == special | set(PARTS)


PURE = sorted(
    name
    for name in INTRINSICS
    if name not in PARTS
    and not name.startswith(("dpd", "fwidth", "array", "discard", "workgroup"))
    and "barrier" not in name
)


@pytest.mark.parametrize("name", [part for names in PARTS.values() for part in names])
def test_intrinsics_of_several_values(name):
    function, number = name.partition(".")[0], PARTS[name.partition(".")[0]].index(name)
    for cls in (f32, i32, u32, bool, vec3, vec3u, mat2):
        text = function_text("RESULT", [cls])
        text = text.replace("return RESULT", f"p, q = {function}(a)\n    return {'pq'[number]}")
        check(text, [cls], COMPILED[name].type_for([type_of(cls)]))
    for wrong in ("modf(a)", "modf(a)[0]", "frexp(a).exp", "modf(a) + 1.0", "(modf(a), a)"):
        assert not compiles(function_text(wrong, [f32]).replace("WHAT", "f32"))


@pytest.mark.parametrize("name", PURE)
def test_intrinsics(name):
    parameters = inspect.signature(INTRINSICS[name]).parameters.values()
    count = sum(1 for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL)
    classes = (f32, i32, u32, bool, vec3, vec3u) if count < 3 else (f32, u32, bool, vec3)
    for chosen in itertools.product((*classes, mat2) if count == 1 else classes, repeat=count):
        arguments = ", ".join("abcd"[:count])
        text = function_text(f"{name}({arguments})", list(chosen))
        expected = None
        if name in COMPILED:
            expected = COMPILED[name].type_for([type_of(cls) for cls in chosen])
        check(text, list(chosen), expected)
