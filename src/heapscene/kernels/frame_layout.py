"""FrameLayout: the uniform struct of a frame's inputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from heapscene.shader import Matrix, StructField, StructType, Type, ir, struct_layout

__all__ = ["FrameLayout"]


class FrameLayout:
    """Names, types and offsets of the frame inputs of one scene.

    Attributes
    ----------
    types
        Type by name, sorted by name.
    resource
        The uniform variable that shaders read.
    size
        Bytes of the uniform buffer.
    """

    def __init__(self, types: Mapping[str, Type]) -> None:
        self.types = dict(sorted(types.items()))
        struct = StructType(
            "Frame", tuple(StructField(name, type_) for name, type_ in self.types.items())
        )
        self.resource = ir.Resource("frame", struct, space="uniform", binding=0)
        layout = struct_layout(struct)
        self._offsets = layout.offsets
        self.size = layout.size
        self.hash = repr(list(self.types.items()))

    def pack(self, encoded: Mapping[str, bytes]) -> bytes:
        """Return the buffer's bytes from the packed bytes of each value (matrices row by row)."""
        buffer = bytearray(self.size)
        for name, type_ in self.types.items():
            data, at = encoded[name], self._offsets[name]
            if isinstance(type_, Matrix):
                rows = np.frombuffer(data, "<f4").reshape(type_.rows, type_.columns)
                stride = 4 if type_.rows > 2 else 2
                columns = np.zeros((type_.columns, stride), "<f4")
                columns[:, : type_.rows] = rows.T
                data = columns.tobytes()
            buffer[at : at + len(data)] = data
        return bytes(buffer)
