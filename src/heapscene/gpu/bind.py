"""Bind groups: explicit layouts, and groups that are remade only when a buffer was replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from heapscene.gpu.buffer import GpuBuffer
from heapscene.gpu.faults import GpuCalls

if TYPE_CHECKING:
    import wgpu

__all__ = ["BindGroup", "Binding", "Layouts", "Resource"]

Kind = Literal["uniform", "read-only-storage", "storage"]
Stage = Literal["vertex", "fragment", "compute"]


@dataclass(frozen=True, slots=True)
class Binding:
    """One buffer binding of a layout.

    Attributes
    ----------
    index
        WGSL's ``@binding``.
    kind
        ``"uniform"``, ``"read-only-storage"`` or ``"storage"`` (read and written).
    stages
        Which shader stages see it.
    name
        What the shader calls it; not part of the layout.
    """

    index: int
    kind: Kind
    stages: tuple[Stage, ...] = ("compute",)
    name: str = field(default="", compare=False)


Resource: TypeAlias = GpuBuffer | tuple[GpuBuffer, int, int]
"""A whole buffer, or ``(buffer, offset, nbytes)``."""


class Layouts:
    """Bind group and pipeline layouts of a device, each made once per content."""

    __slots__ = ("_groups", "_pipelines", "device")

    def __init__(self, device: wgpu.GPUDevice) -> None:
        self.device = device
        self._groups: dict[tuple[Binding, ...], wgpu.GPUBindGroupLayout] = {}
        self._pipelines: dict[tuple[tuple[Binding, ...], ...], wgpu.GPUPipelineLayout] = {}

    def group(self, bindings: tuple[Binding, ...]) -> wgpu.GPUBindGroupLayout:
        """Return the layout of one bind group.

        Every binding is pinned here: a layout that wgpu derives from a shader drops those that the
        shader does not read, and then refuses the bind group.
        """
        import wgpu

        layout = self._groups.get(bindings)
        if layout is None:
            flags = {
                "vertex": wgpu.ShaderStage.VERTEX,
                "fragment": wgpu.ShaderStage.FRAGMENT,
                "compute": wgpu.ShaderStage.COMPUTE,
            }
            entries: list[Any] = [
                {
                    "binding": binding.index,
                    "visibility": sum(flags[stage] for stage in binding.stages),
                    "buffer": {"type": binding.kind},
                }
                for binding in bindings
            ]
            with GpuCalls("the layout of a bind group was refused", bindings=len(bindings)):
                layout = self.device.create_bind_group_layout(entries=entries)
            self._groups[bindings] = layout
        return layout

    def pipeline(self, groups: tuple[tuple[Binding, ...], ...]) -> wgpu.GPUPipelineLayout:
        """Return the layout of a pipeline over several groups."""
        layout = self._pipelines.get(groups)
        if layout is None:
            made = [self.group(bindings) for bindings in groups]
            with GpuCalls("the layout of a pipeline was refused", groups=len(groups)):
                layout = self.device.create_pipeline_layout(bind_group_layouts=made)
            self._pipelines[groups] = layout
        return layout


class BindGroup:
    """One bind group of one owner, remade when a resource is another one or was replaced.

    The owner keeps this object and asks :meth:`get` in every frame. There is no shared cache, and a
    buffer that is replaced or closed tells its groups to let go of it, so nothing outlives its buffers.

    Attributes
    ----------
    current
        The group as it was last made; ``None`` if one of its buffers is another one since.
    """

    __slots__ = ("__weakref__", "_key", "_layouts", "current", "label")

    def __init__(self, layouts: Layouts, label: str = "") -> None:
        self.label = label
        self._layouts = layouts
        self._key: tuple[Any, ...] | None = None
        self.current: wgpu.GPUBindGroup | None = None

    def forget(self) -> None:
        """Let go of all buffers; the next :meth:`get` makes a new group."""
        self._key = self.current = None

    def get(
        self, bindings: tuple[Binding, ...], resources: Sequence[Resource]
    ) -> wgpu.GPUBindGroup:
        """Return the group for ``resources``, one per binding, in the order of the bindings.

        Raises
        ------
        GpuError
            Their number differs from that of the bindings, or wgpu refuses one.
        """
        parts = [item if isinstance(item, tuple) else (item, 0, item.nbytes) for item in resources]
        identities = ((id(buffer), buffer.generation, start, size) for buffer, start, size in parts)
        key = (bindings, *identities)
        if self.current is not None and key == self._key:
            return self.current
        layout = self._layouts.group(bindings)
        buffers = ", ".join(buffer.label for buffer, _, _ in parts)
        with GpuCalls(
            f"bind group {self.label!r} was refused", bindings=len(bindings), buffers=buffers
        ):
            entries: list[Any] = [
                {
                    "binding": binding.index,
                    "resource": {"buffer": buffer.buffer, "offset": start, "size": size},
                }
                for binding, (buffer, start, size) in zip(bindings, parts, strict=True)
            ]
            group = self._layouts.device.create_bind_group(
                label=self.label, layout=layout, entries=entries
            )
        for buffer, _, _ in parts:
            buffer.groups.add(self)
        self._key, self.current = key, group
        return group
