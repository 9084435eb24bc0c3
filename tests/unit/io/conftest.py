"""Files to read: real ones if they are there, and small ones made here."""

import base64
import json
import os
import struct
import warnings
from pathlib import Path

import numpy as np
import pytest

from heapscene.io import LoadWarning, read_model

_TYPES = {np.dtype("i1"): 5120, np.dtype("u1"): 5121, np.dtype("i2"): 5122}
_TYPES |= {np.dtype("u2"): 5123, np.dtype("u4"): 5125, np.dtype("f4"): 5126}
_WIDTHS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


@pytest.fixture(scope="session")
def data() -> Path:
    given = os.environ.get("HEAPSCENE_DATA")
    folder = Path(given) if given else Path(__file__).parents[4] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"real files are not at {folder}; set HEAPSCENE_DATA")
    return folder


@pytest.fixture
def read():
    """Read a file, and return its model and what was warned of."""

    def read(path):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = read_model(path)
        assert all(w.category is LoadWarning for w in caught), [str(w.message) for w in caught]
        return model, [str(w.message) for w in caught]

    return read


class GltfFile:
    """A glTF header under construction."""

    def __init__(self):
        self.header = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}
        self.data = b""

    def accessor(self, rows, dtype="f4", *, stride=None, **extra):
        """Append an array and return the number of its accessor."""
        array = np.asarray(rows, dtype)
        array = array[:, None] if array.ndim == 1 else array
        view = {"buffer": 0, "byteOffset": len(self.data)}
        raw = array.tobytes()
        if stride:
            width = array.dtype.itemsize * array.shape[1]
            raw = b"".join(
                raw[at : at + width].ljust(stride, b"\xcc") for at in range(0, len(raw), width)
            )
            view["byteStride"] = stride
        self.data += raw + b"\0" * (-len(raw) % 4)
        self.header["bufferViews"].append({**view, "byteLength": len(raw)})
        self.header["accessors"].append(
            {
                "bufferView": len(self.header["bufferViews"]) - 1,
                "componentType": _TYPES[array.dtype],
                "count": len(array),
                "type": _WIDTHS[array.shape[1]],
                **extra,
            }
        )
        return len(self.header["accessors"]) - 1

    def mesh(self, positions, indices=None, *, normals=True, index_type="u2", **primitive):
        """Append a mesh of one primitive and return its number."""
        attributes = {"POSITION": self.accessor(positions)}
        if normals:
            attributes["NORMAL"] = self.accessor(np.tile((0.0, 0.0, 1.0), (len(positions), 1)))
        attributes |= primitive.pop("attributes", {})
        made = {"attributes": attributes, **primitive}
        if indices is not None:
            made["indices"] = self.accessor(indices, index_type)
        self.header.setdefault("meshes", []).append({"primitives": [made]})
        return len(self.header["meshes"]) - 1

    def nodes(self, *nodes, **header):
        """Set the nodes, and whatever else belongs into the header."""
        self.header |= {"nodes": list(nodes), **header}
        return self

    def save(self, path, *, buffer="data"):
        """Write ``.glb`` or ``.gltf``, the latter with a data URI or a file beside it."""
        head = {**self.header, "buffers": [{"byteLength": len(self.data)}]}
        if path.suffix == ".glb":
            text = json.dumps(head).encode()
            text += b" " * (-len(text) % 4)
            chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
            chunks += struct.pack("<II", len(self.data), 0x004E4942) + self.data
            path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
            return path
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        if buffer == "file":
            uri = "my%20data.bin"
            (path.parent / "my data.bin").write_bytes(self.data)
        head["buffers"][0]["uri"] = uri
        path.write_text(json.dumps(head))
        return path


@pytest.fixture
def gltf():
    return GltfFile()
