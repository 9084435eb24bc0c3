"""Smart constructors of intrinsics that work on resources: atomics and textures."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from heapscene.shader.diagnostics import Refusal
from heapscene.shader.ir import nodes
from heapscene.shader.ir.nodes import Expr, Span
from heapscene.shader.ir.operands import Operand, expression, matched, operand_advice
from heapscene.shader.operations import Operation, spelled
from heapscene.shader.types import (
    F32,
    I32,
    VOID,
    ArrayType,
    AtomicType,
    StorageTextureType,
    TextureType,
    Type,
    Vector,
)

__all__ = ["atomic", "is_offset", "loaded_type", "texture", "uniform_load"]


def atomic(operation: Operation, operands: Sequence[Operand], span: Span | None) -> Expr:
    """Call an atomic; the first operand is an atomic in storage or workgroup memory.

    Raises
    ------
    Refusal
        It is something else, or the values have another type.
    """
    name = operation.name
    place = expression(operands[0]) if operands else None
    type_ = None if place is None else place.type
    if (
        place is None
        or not isinstance(type_, AtomicType)
        or not _is_memory(place, "storage", "workgroup")
    ):
        found = "nothing" if type_ is None else spelled(type_)
        raise Refusal(
            f"{name} works on an atomic in a storage or workgroup array, not on {found}",
            {"found": found},
            "Declare the elements or the field as atomic_u32 or atomic_i32.",
        )
    args = (place, *(matched(operand, type_.scalar) for operand in operands[1:]))
    result = operation.type_for([arg.type for arg in args])
    if result is None:
        raise Refusal(
            f"{name} is not defined for ({', '.join(spelled(arg.type) for arg in args)})",
            {"defined for": ";  ".join(operation.rules)},
            f"Convert the value: {spelled(type_.scalar)}(x).",
        )
    return nodes.Intrinsic(result, name, args, span=span)


def uniform_load(operands: Sequence[Operand], span: Span | None) -> Expr:
    """Read a place of workgroup memory for all invocations of a workgroup.

    Raises
    ------
    Refusal
        It is no place in workgroup memory, or a whole array.
    """
    place = expression(operands[0]) if len(operands) == 1 else None
    if place is None or not _is_memory(place, "workgroup") or isinstance(place.type, ArrayType):
        raise Refusal(
            "workgroup_uniform_load works on an element of a workgroup array",
            {"found": "nothing" if place is None else spelled(place.type)},
            'Write workgroup_uniform_load(shared[0]), with  shared = workgroup("shared", f32, 64).',
        )
    return nodes.Intrinsic(loaded_type(place), "workgroup_uniform_load", (place,), span=span)


def loaded_type(place: Expr) -> Type:
    """Return the type of what lies at a place: of an atomic, its number."""
    return place.type.scalar if isinstance(place.type, AtomicType) else place.type


def texture(operation: Operation, operands: Sequence[Operand], span: Span | None) -> Expr:
    """Call an intrinsic on a texture, the first operand.

    Raises
    ------
    Refusal
        It is no texture, or there is no rule for the operands.
    """
    name = operation.name
    args = [expression(operand) for operand in operands]
    kind = args[0].type if args else VOID
    if not isinstance(kind, TextureType | StorageTextureType):
        raise Refusal(
            f"{name} works on a texture, not on {spelled(kind)}",
            {"found": spelled(kind)},
            'Declare one in the module: texture_2d("name", binding=1).',
        )
    # A whole number may be a layer and a level at once: each stands for what its place wants.
    choices = [
        [arg, matched(arg, F32)] if isinstance(arg, nodes.Literal) and arg.abstract else [arg]
        for arg in args
    ]
    for chosen in itertools.product(*choices):
        type_ = operation.type_for([arg.type for arg in chosen])
        if type_ is not None:
            _check_texture(name, kind, chosen)
            return nodes.Intrinsic(type_, name, tuple(chosen), span=span)
    found = ", ".join(spelled(arg.type) for arg in args)
    rules = [rule for rule in operation.rules if rule.startswith(kind.kind)]
    raise Refusal(
        f"{name} is not defined for ({found})",
        {"defined for": ";  ".join(rules or operation.rules)},
        operand_advice(args[1:]),
    )


def _check_texture(name: str, kind: TextureType | StorageTextureType, args: Sequence[Expr]) -> None:
    if isinstance(kind, StorageTextureType):
        needed = {"texture_load": "read", "texture_store": "write"}.get(name, "")
        if needed not in kind.access:
            raise Refusal(
                f"{name} needs access {needed!r}, the texture has {kind.access!r}",
                fix=f'Declare it with access="{needed}".',
            )
    offset = args[-1] if is_offset(name, args[-1].type) else None
    if offset is not None and not _is_small(offset):
        raise Refusal(
            f"the offset of {name} is a constant from -8 to 7 in each direction",
            {"offset": spelled(offset.type)},
            f"Write {spelled(offset.type)}(...) with numbers, here or in the module.",
        )
    if name == "texture_gather" and isinstance(kind, TextureType) and not kind.is_depth:
        channel = args[-1 if offset is None else -2]
        if not isinstance(channel, nodes.Literal) or channel.value not in (0, 1, 2, 3):
            raise Refusal("the channel of texture_gather is a constant from 0 to 3")


def is_offset(name: str, last: Type) -> bool:
    """Tell whether a last argument of that type is an offset in texels."""
    is_sampling = name.startswith(("texture_sample", "texture_gather"))
    return is_sampling and isinstance(last, Vector) and last.scalar == I32


def _is_small(offset: Expr) -> bool:
    return isinstance(offset, nodes.Construct) and all(
        isinstance(part, nodes.Literal) and -8 <= part.value <= 7 for part in offset.args
    )


def _is_memory(place: Expr, *spaces: str) -> bool:
    while isinstance(place, nodes.Index | nodes.Field):
        place = place.value
    return isinstance(place, nodes.Global) and place.resource.space in spaces
