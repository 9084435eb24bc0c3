"""Which words a draw's header row has, from what its program reads and the draw binds."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from heapscene.draw import encode_value, is_place
from heapscene.errors import InputError, explain
from heapscene.shader import ProgramLike, types

__all__ = ["HeaderField", "Schema", "make_schema"]


class HeaderField(NamedTuple):
    """Two words of a header row: `base` at `word` and `stride` behind it.

    Element k lies at ``base + k * stride``, in words of the page; attributes are indexed by
    vertex, the others by instance. Fields of the kind ``"table"`` are what a row's ``model`` is made
    of: its position, rotation and scale, and the table's transform. `tag` names the type in keys of entries.
    What `is_place` says where something is.
    """

    name: str
    kind: Literal["attribute", "input", "table"]
    type: types.Type
    word: int
    tag: str
    default: bytes | None
    limits: tuple[float, float] | None = None
    is_place: bool = False


class Schema:
    """The header layout of all draws of a program that bind the same inputs.

    Attributes
    ----------
    fields
        Every attribute, then every bound input, then what a table's model is made of; each sorted by
        name.
    frame_names
        Inputs that come from the frame, sorted.
    attributes_key
        Equal for schemas whose geometry is laid out alike.
    input_bytes
        What one value of every input takes on a page.
    pack_row
        Makes the bytes of a header row from its words.
    """

    __slots__ = (
        "attributes",
        "attributes_key",
        "fields",
        "frame_names",
        "input_bytes",
        "inputs",
        "key",
        "model",
        "pack_row",
        "placing",
        "program",
        "row_words",
    )

    def __init__(
        self, program: ProgramLike, frame_names: tuple[str, ...], fields: tuple[HeaderField, ...]
    ) -> None:
        self.program = program
        self.frame_names = frame_names
        self.fields = fields
        self.attributes = tuple(field for field in fields if field.kind == "attribute")
        self.inputs = tuple(field for field in fields if field.kind == "input")
        self.placing = tuple(field for field in fields if field.kind == "table")
        self.input_bytes = sum((field.type.words * 4 + 15) & ~15 for field in self.inputs)
        self.row_words = 2 * len(fields)
        self.pack_row = struct.Struct(f"<{self.row_words}I").pack
        self.key = (program.hash, frame_names, tuple(field.name for field in self.placing))
        self.attributes_key = tuple(
            (field.name, field.tag, field.default) for field in self.attributes
        )
        self.model = next((field for field in self.inputs if field.name == "model"), None)


def make_schema(
    program: ProgramLike,
    bound: Iterable[str],
    frame_inputs: Mapping[str, types.Type],
    placing: Mapping[str, types.Type] | None = None,
) -> Schema:
    """Return the schema of draws of `program` that bind the inputs `bound`.

    What a draw does not bind comes from the frame, and what the frame does not have from the
    program's defaults. Rows of a table have `placing` in addition: what their ``model`` is made of.

    Raises
    ------
    InputError
        An input has none of these sources, or another type in the frame.
    """
    interface = program.interface
    bound = set(bound)
    placing = placing or {}
    is_composed = any(name != "transform" for name in placing)
    fields: list[HeaderField] = []
    frame_names: list[str] = []
    for name, type_ in sorted(interface.attributes.items()):
        default = interface.attribute_defaults.get(name)
        fields.append(_field(name, "attribute", type_, 2 * len(fields), default))
    for name, type_ in sorted(interface.inputs.items()):
        default = interface.input_defaults.get(name)
        if name == "model" and is_composed:
            continue
        if name in bound:
            field = _field(name, "input", type_, 2 * len(fields), default)
            fields.append(field._replace(limits=interface.input_limits.get(name)))
        elif name in frame_inputs:
            if frame_inputs[name] != type_:
                raise InputError(
                    explain(
                        f"the frame input {name!r} has another type than the program declares",
                        facts={"frame": frame_inputs[name], "program": type_},
                        fix=f"Declare {name}: {frame_inputs[name]}, or bind {name!r} in the draw.",
                    )
                )
            frame_names.append(name)
        elif name in interface.input_defaults:
            fields.append(_field(name, "input", type_, 2 * len(fields), default))
        else:
            raise InputError(
                explain(
                    f"the program reads {name!r}, and neither the draw nor the frame gives it",
                    facts={
                        "program": program.hash[:12],
                        "bound": ", ".join(sorted(bound)) or "nothing",
                        "frame": ", ".join(sorted(frame_inputs)) or "nothing",
                    },
                    fix=f"Write inputs={{{name!r}: ...}} in the draw ({name}: {type_}).",
                )
            )
    for name, type_ in sorted(placing.items()):
        fields.append(_field(name, "table", type_, 2 * len(fields), None))
    return Schema(program, tuple(frame_names), tuple(fields))


def _field(
    name: str,
    kind: Literal["attribute", "input", "table"],
    type_: types.Type,
    word: int,
    default: Any,
) -> HeaderField:
    packed = None if default is None else encode_value(type_, default, name)
    placing = kind == "table" and name == "transform"
    places = placing or (kind == "input" and is_place(name, type_))
    return HeaderField(name, kind, type_, word, str(type_), packed, is_place=places)
