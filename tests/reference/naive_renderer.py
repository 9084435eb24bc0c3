"""The stupid twin of the renderer: one draw call per object and instance, fresh buffers each time.

It takes arrays and values straight from the draws, feeds them through vertex buffers and one
uniform buffer per object, and packs them itself. With the heap renderer it shares the text of the
program and nothing else, so that equal pictures mean something.

How a program's direct form is bound: attribute *i* in the order of names is vertex buffer *i* at
location *i*; all inputs are members of one uniform struct, in the order of names, at group 0,
binding 0; the entry points are ``vertex_main`` and ``fragment_main``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from heapscene.draw import Draw, Geometry, PipelineState, TableRows, rgba

__all__ = ["NaiveRenderer", "pack_uniform", "uniform_layout"]

COLOR_FORMAT = "rgba8unorm-srgb"
DEPTH_FORMAT = "depth32float"

_DTYPES = {
    "f32": np.dtype("<f4"),
    "i32": np.dtype("<i4"),
    "u32": np.dtype("<u4"),
    "bool": np.dtype("<u4"),
}
_FORMATS = {"f32": "float32", "i32": "sint32", "u32": "uint32", "bool": "uint32"}

# (source, destination) factors of colour, then of alpha
_BLENDS = {
    "alpha": (("src-alpha", "one-minus-src-alpha"), ("one", "one-minus-src-alpha")),
    "premultiplied": (("one", "one-minus-src-alpha"), ("one", "one-minus-src-alpha")),
    "additive": (("src-alpha", "one"), ("one", "one")),
    "multiply": (("dst", "zero"), ("zero", "one")),
}


def now(value: Any) -> Any:
    """The value itself, or what an adaptive value holds at the moment."""
    return value.force() if hasattr(value, "force") else value


@dataclass(frozen=True)
class Shape:
    """A shader type as the packing below sees it: ``columns`` vectors of ``rows`` scalars."""

    scalar: str
    rows: int
    columns: int
    is_matrix: bool

    @classmethod
    def of(cls, type_: Any) -> Shape:
        """Read the spelling of the type, which is WGSL's and so needs no class of the compiler."""
        text = type_.wgsl
        if text in _DTYPES:
            return cls(text, 1, 1, is_matrix=False)
        if text.startswith("vec") and text.endswith(">"):
            return cls(text[5:-1], int(text[3]), 1, is_matrix=False)
        if text.startswith("mat") and text.endswith("<f32>"):
            return cls("f32", int(text[5]), int(text[3]), is_matrix=True)
        msg = f"the naive renderer has no packing for {text}"
        raise NotImplementedError(msg)

    @property
    def alignment(self) -> int:
        return {1: 4, 2: 8, 3: 16, 4: 16}[self.rows]

    @property
    def column_stride(self) -> int:
        """Bytes from one column to the next, padding included."""
        return -(-4 * self.rows // self.alignment) * self.alignment

    @property
    def size(self) -> int:
        return self.column_stride * self.columns if self.is_matrix else 4 * self.rows


def uniform_layout(inputs: Mapping[str, Any]) -> tuple[dict[str, int], int]:
    """Byte offset of each member and size of the struct, by WGSL's rules for uniform buffers."""
    offsets: dict[str, int] = {}
    end = 0
    for name in sorted(inputs):
        shape = Shape.of(inputs[name])
        offsets[name] = -(-end // shape.alignment) * shape.alignment
        end = offsets[name] + shape.size
    return offsets, max(16, -(-end // 16) * 16)


def pack_uniform(inputs: Mapping[str, Any], values: Mapping[str, Any]) -> bytes:
    """The bytes of the uniform struct: matrices by columns, booleans as 0 or 1."""
    offsets, size = uniform_layout(inputs)
    packed = bytearray(size)
    for name, offset in offsets.items():
        shape = Shape.of(inputs[name])
        value = values[name]
        if isinstance(value, str):
            value = rgba(value)[: shape.rows]
        array = np.asarray(value).astype(_DTYPES[shape.scalar])
        if shape.is_matrix:
            columns = array.reshape(shape.rows, shape.columns).T
        else:
            columns = fill(array.reshape(1, -1), shape)
        for number, column in enumerate(columns):
            start = offset + number * shape.column_stride
            packed[start : start + 4 * shape.rows] = column.tobytes()
    return bytes(packed)


def fill(rows: NDArray[Any], shape: Shape) -> NDArray[Any]:
    """Give three numbers for a ``vec4`` the fourth, 1, as vertex attributes have it."""
    if rows.shape[1] == 3 and shape.rows == 4:
        return np.concatenate([rows, np.ones((len(rows), 1), rows.dtype)], axis=1)
    if rows.shape[1] != shape.rows:
        msg = f"{rows.shape[1]} numbers for {shape.rows}"
        raise ValueError(msg)
    return rows


class NaiveRenderer:
    """Draws in the given order, one draw call each.

    Nothing but pipelines and targets outlives a picture.
    """

    def __init__(self, device: wgpu.GPUDevice) -> None:
        self.device = device
        self._pipelines: dict[Any, tuple[wgpu.GPURenderPipeline, wgpu.GPUBindGroupLayout]] = {}
        self._textures: dict[Any, wgpu.GPUTexture] = {}
        self._buffers: list[wgpu.GPUBuffer] = []

    def render(
        self,
        draws: Iterable[Draw | TableRows],
        frame: Mapping[str, Any],
        *,
        size: tuple[int, int],
        samples: int = 4,
        background: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    ) -> NDArray[np.uint8]:
        """Draw ``draws`` from first to last and return the picture, ``(height, width, 4)``.

        Parameters
        ----------
        draws
            In the order in which they are to be drawn; rows of a table one by one.
        frame
            Values of inputs that draws do not bind: ``view``, ``proj``, ``camera_position``, ...
        size
            Width and height in pixels.
        samples
            1 or 4.
        background
            Linear red, green, blue and alpha.
        """
        target = self._texture(COLOR_FORMAT, size, 1)
        color: dict[str, Any] = {
            "view": target.create_view(),
            "clear_value": tuple(background),
            "load_op": "clear",
            "store_op": "store",
        }
        if samples > 1:
            color["resolve_target"] = color["view"]
            color["view"] = self._texture(COLOR_FORMAT, size, samples).create_view()
        encoder = self.device.create_command_encoder()
        render_pass = encoder.begin_render_pass(
            color_attachments=[color],
            depth_stencil_attachment={
                "view": self._texture(DEPTH_FORMAT, size, samples).create_view(),
                "depth_clear_value": 1.0,
                "depth_load_op": "clear",
                "depth_store_op": "store",
            },
        )
        try:
            for item in draws:
                for draw in row_draws(item) if isinstance(item, TableRows) else (item,):
                    self._draw(render_pass, draw, frame, samples)
            render_pass.end()
            self.device.queue.submit([encoder.finish()])
            return self._read(target)
        finally:
            for buffer in self._buffers:
                buffer.destroy()
            self._buffers.clear()

    def depths(self, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the bytes of the depths of the last picture of one sample, ``(height, width, 4)``."""
        return self._read(self._texture(DEPTH_FORMAT, size, 1))

    def close(self) -> None:
        """Free the targets."""
        for texture in self._textures.values():
            texture.destroy()
        self._textures.clear()
        self._pipelines.clear()

    def _draw(self, render_pass: Any, draw: Draw, frame: Mapping[str, Any], samples: int) -> None:
        instances = int(now(draw.instance_count))
        if not now(draw.visible) or instances == 0:
            return
        program: Any = draw.program
        geometry: Geometry = now(draw.geometry)
        arrays, indices = geometry.read_attributes(), geometry.read_indices()
        vertices = len(arrays["position"])
        first, count = geometry.range or (0, vertices if indices is None else len(indices))
        if count == 0:
            return
        pipeline, layout = self._pipeline(program, now(draw.state), samples)
        render_pass.set_pipeline(pipeline)
        interface = program.interface
        for slot, (name, type_) in enumerate(sorted(interface.attributes.items())):
            rows = attribute_rows(name, arrays, interface, Shape.of(type_), vertices)
            render_pass.set_vertex_buffer(slot, self._buffer(rows, wgpu.BufferUsage.VERTEX))
        if indices is not None:
            wide = indices.astype(np.uint16 if indices.dtype.itemsize < 4 else np.uint32)
            render_pass.set_index_buffer(
                self._buffer(wide, wgpu.BufferUsage.INDEX), f"uint{8 * wide.dtype.itemsize}"
            )
        for instance in range(instances):
            if interface.inputs:
                values = input_values(draw, frame, instance)
                data = np.frombuffer(pack_uniform(interface.inputs, values), np.uint8)
                buffer = self._buffer(data, wgpu.BufferUsage.UNIFORM)
                entry = {
                    "binding": 0,
                    "resource": {"buffer": buffer, "offset": 0, "size": data.nbytes},
                }
                group = self.device.create_bind_group(layout=layout, entries=[entry])
                render_pass.set_bind_group(0, group)
            if indices is None:
                render_pass.draw(count, 1, first, instance)
            else:
                render_pass.draw_indexed(count, 1, first, 0, instance)

    def _pipeline(self, program: Any, state: PipelineState, samples: int) -> Any:
        key = (program.hash, state, samples)
        if key not in self._pipelines:
            self._pipelines[key] = make_pipeline(self.device, program, state, samples)
        return self._pipelines[key]

    def _buffer(self, array: NDArray[Any], usage: int) -> wgpu.GPUBuffer:
        data = np.ascontiguousarray(array).tobytes()
        data += bytes(-len(data) % 4)
        buffer = self.device.create_buffer_with_data(data=data, usage=usage)
        self._buffers.append(buffer)
        return buffer

    def _texture(self, format_: str, size: tuple[int, int], samples: int) -> wgpu.GPUTexture:
        key = (format_, size, samples)
        if key not in self._textures:
            usage = wgpu.TextureUsage.RENDER_ATTACHMENT
            if samples == 1:
                usage |= wgpu.TextureUsage.COPY_SRC
            self._textures[key] = self.device.create_texture(
                size=(*size, 1), format=format_, usage=usage, sample_count=samples
            )
        return self._textures[key]

    def _read(self, texture: wgpu.GPUTexture) -> NDArray[np.uint8]:
        width, height, _ = texture.size
        layout = {"bytes_per_row": 4 * width, "rows_per_image": height}
        data = self.device.queue.read_texture({"texture": texture}, layout, texture.size)
        return np.frombuffer(data, np.uint8).reshape(height, width, 4).copy()


def row_draws(part: TableRows) -> Iterator[Draw]:
    """Each row as a draw of its own, dead and hidden ones left out."""
    table = part.table
    if not now(part.draw.visible):
        return
    alive, visible, geometry = table.alive, table["visible"], table["geometry"]
    known = table.program.interface.inputs
    for row in part.rows:
        if not (alive[row] and visible[row]):
            continue
        own = {name: table[name][row] for name in table.columns}
        inputs = {**table.inputs, **{name: own[name] for name in own if name in known}}
        place = [name for name in ("position", "rotation", "scale") if name in own]
        frame = now(part.draw.place())
        if any(name not in known for name in place):
            inputs["model"] = compose(own, known)
        if "model" in inputs and frame is not None:
            inputs["model"] = product(np.asarray(frame, np.float32), inputs["model"])
        elif "model" in known and "model" not in inputs:
            inputs["model"] = np.eye(4) if frame is None else frame
        yield Draw(table.program, table.geometries[geometry[row]], inputs, state=now(table.state))


def compose(own: Mapping[str, Any], known: Mapping[str, Any]) -> NDArray[np.float32]:
    """A row's matrix in single precision: scaled, turned by a quaternion, moved."""
    given = {name: value for name, value in own.items() if name not in known}
    x, y, z, w = np.asarray(given.get("rotation", (0, 0, 0, 1)), np.float32)
    scale = np.ones(3, np.float32) * np.asarray(given.get("scale", 1), np.float32)
    two = np.float32(2) / max(x * x + y * y + z * z + w * w, np.float32(1e-30))
    one = np.float32(1)
    xs, ys, zs, ws = two * x, two * y, two * z, two * w
    matrix = np.eye(4, dtype=np.float32)
    matrix[0, :3] = one - (y * ys + z * zs), y * xs - z * ws, z * xs + y * ws
    matrix[1, :3] = y * xs + z * ws, one - (x * xs + z * zs), z * ys - x * ws
    matrix[2, :3] = z * xs - y * ws, z * ys + x * ws, one - (x * xs + y * ys)
    matrix[:3, :3] *= scale
    matrix[:3, 3] = given.get("position", (0, 0, 0))
    return matrix


def product(a: NDArray[np.float32], b: Any) -> NDArray[np.float32]:
    """``a @ b`` in single precision, summed from left to right."""
    b = np.asarray(b, np.float32)
    result = a[:, :1] * b[:1]
    for k in range(1, 4):
        result = result + a[:, k : k + 1] * b[k : k + 1]
    return result


def attribute_rows(
    name: str, arrays: Mapping[str, NDArray[Any]], interface: Any, shape: Shape, vertices: int
) -> NDArray[Any]:
    """One row per vertex, whatever the geometry holds: all rows, one for all, or nothing."""
    value = arrays.get(name)
    if value is None:
        value = np.asarray(interface.attribute_defaults[name])[None]
    rows = fill(np.asarray(value).reshape(len(value), -1).astype(_DTYPES[shape.scalar]), shape)
    return np.broadcast_to(rows, (vertices, shape.rows))


def input_values(draw: Draw, frame: Mapping[str, Any], instance: int) -> dict[str, Any]:
    """What each input is for one instance; the draw's own values win over the frame's."""
    interface = draw.program.interface
    values: dict[str, Any] = {}
    for name in interface.inputs:
        if name in draw.instances:
            rows = np.asarray(now(draw.instances[name]))
            values[name] = rows[0 if len(rows) == 1 else instance]
        elif name in draw.inputs:
            values[name] = now(draw.inputs[name])
        elif name in frame:
            values[name] = now(frame[name])
        elif name in interface.input_defaults:
            values[name] = interface.input_defaults[name]
        else:
            msg = f"neither the draw nor the frame gives {name!r}"
            raise KeyError(msg)
    return values


def make_pipeline(device: wgpu.GPUDevice, program: Any, state: PipelineState, samples: int) -> Any:
    """A pipeline for one program and state, and the layout of its only bind group."""
    entries: list[Any] = []
    if program.interface.inputs:
        visibility = wgpu.ShaderStage.VERTEX | wgpu.ShaderStage.FRAGMENT
        entries.append({"binding": 0, "visibility": visibility, "buffer": {"type": "uniform"}})
    layout = device.create_bind_group_layout(entries=entries)
    module = device.create_shader_module(code=program.wgsl)
    target: dict[str, Any] = {
        "format": COLOR_FORMAT,
        "write_mask": sum(1 << "rgba".index(channel) for channel in set(state.write_mask)),
    }
    if state.blend != "none":
        target["blend"] = {
            part: {"src_factor": source, "dst_factor": destination, "operation": "add"}
            for part, (source, destination) in zip(
                ("color", "alpha"), _BLENDS[state.blend], strict=True
            )
        }
    is_filled = state.topology == "triangle-list"
    pipeline = device.create_render_pipeline(
        layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
        vertex={
            "module": module,
            "entry_point": "vertex_main",
            "buffers": [
                vertex_buffer(location, Shape.of(type_))
                for location, (_, type_) in enumerate(sorted(program.interface.attributes.items()))
            ],
        },
        primitive={
            "topology": state.topology,
            "cull_mode": state.cull_mode,
            "front_face": state.front_face,
        },
        depth_stencil={
            "format": DEPTH_FORMAT,
            "depth_write_enabled": state.depth_write,
            "depth_compare": state.depth_compare,
            "depth_bias": state.depth_bias if is_filled else 0,
            "depth_bias_slope_scale": state.depth_bias_slope_scale if is_filled else 0.0,
            "depth_bias_clamp": state.depth_bias_clamp if is_filled else 0.0,
        },
        multisample={"count": samples, "alpha_to_coverage_enabled": state.alpha_to_coverage},
        fragment={"module": module, "entry_point": "fragment_main", "targets": [target]},
    )
    return pipeline, layout


def vertex_buffer(location: int, shape: Shape) -> dict[str, Any]:
    """One tightly packed attribute in a buffer of its own."""
    suffix = f"x{shape.rows}" if shape.rows > 1 else ""
    return {
        "array_stride": 4 * shape.rows,
        "step_mode": "vertex",
        "attributes": [
            {"format": _FORMATS[shape.scalar] + suffix, "offset": 0, "shader_location": location}
        ],
    }
