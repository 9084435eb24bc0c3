"""``@struct``: records of shader values.

Instances do not change; ``s = s.replace(field=value)`` gives a changed copy. A field's default is a
value, a :class:`~heapscene.shader.lang.Builtin`, or ``flat``.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any, NoReturn, TypeVar, dataclass_transform

from heapscene.errors import ShaderNameError, ShaderTypeError, explain
from heapscene.shader.lang import (
    Builtin,
    Interpolation,
    captured,
    convert,
    register_struct,
    type_of,
    zero,
)
from heapscene.shader.types import StructField, StructType, Void

__all__ = ["struct"]

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True)
def struct(cls: type[T]) -> type[T]:
    """Make a class with annotated fields a shader struct.

    Parameters
    ----------
    cls
        A class without bases. Every field is ``name: type`` or ``name: type = default``.

    Returns
    -------
    type
        The same class: keyword arguments only, frozen, with ``replace(**changes)``, equality and a
        ``repr``. Arguments are converted to the types of their fields.

    Raises
    ------
    ShaderTypeError
        A field has no shader type, or its default does not fit.

    Examples
    --------
    >>> from heapscene.shader import builtin, vec3, vec4
    >>> @struct
    ... class Varyings:
    ...     normal: vec3
    ...     clip: vec4 = builtin.position
    >>> Varyings(normal=vec3(0.0, 0.0, 1.0), clip=vec4(0.0)).normal
    vec3(0.0, 0.0, 1.0)
    """
    if cls.__bases__ != (object,):
        raise ShaderTypeError(
            explain(f"struct {cls.__name__} has bases", fix="List all fields in it.")
        )
    kind = StructType(cls.__name__, _fields(cls, dict(sys._getframe(1).f_locals)))
    for field in kind.fields:
        if field.name in cls.__dict__:
            delattr(cls, field.name)
    members: dict[str, Any] = {
        "__shader_type__": kind,
        "__init__": _init,
        "__setattr__": _refuse_assignment,
        "__delattr__": _refuse_assignment,
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _repr,
        "replace": _replace,
    }
    for name, member in members.items():
        setattr(cls, name, member)
    register_struct(cls)
    return cls


def _fields(cls: type[Any], local: dict[str, Any]) -> tuple[StructField, ...]:
    try:
        annotations = inspect.get_annotations(cls, locals=local, eval_str=True)
    except NameError as error:
        raise ShaderNameError(
            explain(
                f"struct {cls.__name__}: {error}",
                fix="Import the type, for example  from heapscene.shader import vec3.",
            )
        ) from error
    if not annotations:
        raise ShaderTypeError(
            explain(f"struct {cls.__name__} has no fields", fix="Write  name: f32  in its body.")
        )
    return tuple(_field(cls, name, annotation) for name, annotation in annotations.items())


def _field(cls: type[Any], name: str, annotation: object) -> StructField:
    where = f"field {name!r} of {cls.__name__}"
    kind = type_of(annotation, where)
    if isinstance(kind, Void):
        raise ShaderTypeError(explain(f"{where} has no type", fix=f"Write  {name}: f32."))
    default: Any = cls.__dict__.get(name)
    if isinstance(default, Builtin):
        if default.type != kind:
            raise ShaderTypeError(
                explain(
                    f"{where} is {kind}, but builtin {default.name} is {default.type}",
                    fix=f"Write  {name}: {default.type} = builtin.{default.name}.",
                )
            )
        return StructField(name, kind, builtin=default.name)
    if isinstance(default, Interpolation):
        return StructField(name, kind, interpolate=default.name)
    if default is not None:
        default = convert(captured(default), kind, f"default of {where}")
    return StructField(name, kind, default=default)


def _init(self: Any, **values: Any) -> None:
    kind: StructType = self.__shader_type__
    unknown = [name for name in values if kind.field(name) is None]
    if unknown:
        raise ShaderTypeError(
            explain(
                f"{kind.name} has no field {unknown[0]!r}",
                facts={"fields": ", ".join(field.name for field in kind.fields)},
                fix="Leave it out, or write one of these names.",
            )
        )
    missing = [
        field.name for field in kind.fields if not _optional(field) and field.name not in values
    ]
    if missing:
        names = ", ".join(missing)
        raise ShaderTypeError(
            explain(f"{kind.name} needs {names}", fix=f"Write  {kind.name}({missing[0]}=...).")
        )
    for field in kind.fields:
        if field.name in values:
            where = f"field {field.name!r} of {kind.name}"
            value = convert(values[field.name], field.type, where)
        else:
            value = field.default if field.builtin is None else zero(field.type)
        object.__setattr__(self, field.name, value)


def _optional(field: StructField) -> bool:
    return field.default is not None or field.builtin is not None


def _refuse_assignment(self: Any, name: str, value: object = None) -> NoReturn:
    del value
    raise ShaderTypeError(
        explain(
            f"{type(self).__name__} values do not change: {name!r} was assigned",
            fix=f"Write  s = s.replace({name}=...)",
        )
    )


def _replace(self: Any, **changes: Any) -> Any:
    """Return a copy with other values in the named fields."""
    return type(self)(**{**vars(self), **changes})


def _equal(self: Any, other: object) -> bool:
    if type(other) is not type(self):
        return NotImplemented
    return _key(self) == _key(other)


def _hash(self: Any) -> int:
    return hash(_key(self))


def _key(self: Any) -> tuple[Any, ...]:
    # A vector's own '==' compares component-wise.
    return tuple(tuple(v) if hasattr(v, "_parts") else v for v in vars(self).values())


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in vars(self).items())})"
