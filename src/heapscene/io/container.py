"""glTF containers: the JSON header and the bytes it speaks of, from ``.gltf`` or ``.glb``."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from heapscene.io.fault import load_error

__all__ = ["Container", "open_container"]

_MAGIC = b"glTF"
_JSON_CHUNK = 0x4E4F534A
_BINARY_CHUNK = 0x004E4942


class Container:
    """An open glTF file.

    Attributes
    ----------
    path
        Where it is; other files are looked up beside it.
    header
        The parsed JSON.
    """

    __slots__ = ("_binary", "_buffers", "header", "path")

    def __init__(self, path: Path, header: dict[str, Any], binary: bytes | None) -> None:
        self.path = path
        self.header = header
        self._binary = binary
        self._buffers: dict[int, bytes] = {}

    def buffer(self, index: int) -> bytes:
        """Return the bytes of a buffer, reading its file at the first call.

        Raises
        ------
        LoadError
            The buffer's file is missing, on the network, or shorter than the header says.
        """
        if index not in self._buffers:
            description = self.header["buffers"][index]
            data = self._read(index, description.get("uri"))
            if len(data) < description["byteLength"]:
                raise load_error(
                    f"{self.path.name} is cut off: buffer {index} has {len(data):,} bytes, "
                    f"its header says {description['byteLength']:,}",
                    fix="Export or download the file again.",
                )
            self._buffers[index] = data
        return self._buffers[index]

    def _read(self, index: int, uri: str | None) -> bytes:
        if uri is None:
            if index == 0 and self._binary is not None:
                return self._binary
            raise load_error(f"{self.path.name}: buffer {index} names no file and has no bytes")
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except binascii.Error as error:
                raise load_error(
                    f"{self.path.name}: buffer {index} is no valid base64 text"
                ) from error
        if urlsplit(uri).netloc:
            raise load_error(
                f"{self.path.name}: buffer {index} is on the network",
                facts={"uri": uri},
                fix="Download it beside the file and name it there.",
            )
        beside = self.path.parent / unquote(uri)
        try:
            return beside.read_bytes()
        except OSError as error:
            raise load_error(
                f"{self.path.name} needs {unquote(uri)!r}, which cannot be read: "
                f"{error.strerror or error}",
                fix=f"Put it into {str(self.path.parent)!r}.",
            ) from error


def open_container(path: Path) -> Container:
    """Read the header of a glTF file, and the bytes inside it if it is binary.

    Raises
    ------
    LoadError
        The file is neither binary glTF 2 nor glTF JSON, or it is cut off.
    """
    data = path.read_bytes()
    if data[:4] == _MAGIC:
        text, binary = split_chunks(path.name, data)
    elif path.suffix.lower() == ".glb":
        raise load_error(
            f"{path.name} is not a binary glTF file",
            facts={"starts with": repr(data[:4]), "expected": repr(_MAGIC)},
            fix="Check what the file is, and give it the suffix of its format.",
        )
    else:
        text, binary = data, None
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise load_error(f"{path.name} does not hold valid JSON: {error}") from error
    if not isinstance(header, dict) or not isinstance(header.get("asset"), dict):
        raise load_error(f"{path.name} holds JSON, but not a glTF asset")
    version = str(header["asset"].get("version", ""))
    if not version.startswith("2."):
        raise load_error(
            f"{path.name} is glTF {version or 'without a version'}, only glTF 2 can be read",
            fix="Convert it, for example with Blender.",
        )
    return Container(path, header, binary)


def split_chunks(name: str, data: bytes) -> tuple[bytes, bytes | None]:
    """Return the JSON text and the binary chunk of a ``.glb``."""
    length = struct.unpack_from("<I", data, 8)[0] if len(data) >= 12 else 12
    if len(data) < 20 or length > len(data):
        raise load_error(
            f"{name} is cut off: it has {len(data):,} bytes, its header says {length:,}",
            fix="Export or download the file again.",
        )
    text: bytes | None = None
    binary: bytes | None = None
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        chunk = data[at + 8 : at + 8 + size]
        if kind == _JSON_CHUNK and text is None:
            text = chunk
        elif kind == _BINARY_CHUNK and binary is None:
            binary = chunk
        at += 8 + size
    if text is None:
        raise load_error(f"{name} holds no JSON chunk")
    return text, binary
