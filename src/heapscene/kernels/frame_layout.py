"""FrameLayout: the uniform struct of a frame's inputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from heapscene.shader import Matrix, StructField, StructType, Type, ir, layout_of

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
        self._layout = layout_of(struct, "uniform")
        self.size = self._layout.size

    def pack(self, encoded: Mapping[str, bytes]) -> bytes:
        """Return the buffer's bytes from the packed bytes of each value (matrices row by row)."""
        buffer = bytearray(self.size)
        for field in self._layout.fields:
            data = encoded[field.name]
            if isinstance(field.type, Matrix):
                rows = np.frombuffer(data, "<f4").reshape(field.type.rows, field.type.columns)
                columns = np.zeros((field.type.columns, 2 if field.type.rows == 2 else 4), "<f4")
                columns[:, : field.type.rows] = rows.T
                data = columns.tobytes()
            buffer[field.offset : field.offset + len(data)] = data
        return bytes(buffer)
