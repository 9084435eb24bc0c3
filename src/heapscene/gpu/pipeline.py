"""Pipelines by content: equal text and equal state give the same pipeline, made once."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heapscene.errors import GpuError, StateError, explain
from heapscene.gpu.bind import Binding, Layouts
from heapscene.gpu.counters import Counters
from heapscene.gpu.faults import GpuCalls, refusal, sentence

if TYPE_CHECKING:
    import wgpu

    from heapscene.draw import PipelineState

__all__ = ["Pipelines", "RenderSpec", "pipelines_of"]

Groups = tuple[tuple[Binding, ...], ...]

_ADD = "add"
# (source factor, destination factor) for colour, then for alpha.
_BLENDS: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "alpha": (("src-alpha", "one-minus-src-alpha"), ("one", "one-minus-src-alpha")),
    "premultiplied": (("one", "one-minus-src-alpha"), ("one", "one-minus-src-alpha")),
    "additive": (("src-alpha", "one"), ("one", "one")),
    "multiply": (("dst", "zero"), ("zero", "one")),
}
_LINE_OF_ERROR = re.compile(r"┌─ [^\n]*?:(\d+):(\d+)")  # the label, or "wgsl"
_AROUND = 3


@dataclass(frozen=True, slots=True)
class RenderSpec:
    """All that decides a render pipeline.

    Attributes
    ----------
    wgsl, vertex_entry, fragment_entry
        The module's text and its two entry points.
    groups
        The bindings of each bind group.
    state
        The pipeline state; every field is applied.
    color_formats
        Formats of the colour targets, by location.
    outputs
        Locations that the fragment function writes; the other targets keep what they have.
    depth_format
        ``None`` for targets without depth.
    samples
        1 or 4.
    """

    wgsl: str
    vertex_entry: str
    fragment_entry: str
    groups: Groups
    state: PipelineState
    color_formats: tuple[str, ...] = ("rgba8unorm-srgb",)
    outputs: tuple[int, ...] = (0,)
    depth_format: str | None = "depth32float"
    samples: int = 1


class Pipelines:
    """Shader modules, compute pipelines and render pipelines of a device.

    Attributes
    ----------
    layouts
        The layouts that pipelines and bind groups share.
    """

    __slots__ = ("_compute", "_modules", "_render", "counters", "device", "layouts")

    def __init__(self, device: wgpu.GPUDevice, counters: Counters) -> None:
        self.device = device
        self.counters = counters
        self.layouts = Layouts(device)
        self._modules: dict[str, wgpu.GPUShaderModule] = {}
        self._compute: dict[tuple[str, str, Groups], wgpu.GPUComputePipeline] = {}
        self._render: dict[RenderSpec, wgpu.GPURenderPipeline] = {}

    def module(self, wgsl: str, label: str = "shader") -> wgpu.GPUShaderModule:
        """Return the compiled module of a text.

        Raises
        ------
        GpuError
            The text is not valid WGSL; the message has the lines around the fault.
        """
        import wgpu

        module = self._modules.get(wgsl)
        if module is None:
            try:
                module = self.device.create_shader_module(label=label, code=wgsl)
            except (wgpu.GPUError, ValueError) as cause:
                error = refusal(cause, f"the device compiled no module {label!r}")
                if type(error) is GpuError:
                    error = GpuError(_explain_module(wgsl, label, str(cause)))
                raise error from cause
            self._modules[wgsl] = module
            self.counters.shader_modules_created += 1
        return module

    def compute(
        self, wgsl: str, entry: str, groups: Groups, label: str = "kernel"
    ) -> wgpu.GPUComputePipeline:
        """Return the compute pipeline of an entry point.

        Raises
        ------
        GpuError
            wgpu refuses the module or the pipeline.
        """
        key = (wgsl, entry, groups)
        pipeline = self._compute.get(key)
        if pipeline is None:
            module = self.module(wgsl, label)
            layout = self.layouts.pipeline(groups)
            what = f"the compute pipeline {label!r} was refused"
            with _placed(wgsl, entry), GpuCalls(what, entry_points=entry):
                pipeline = self.device.create_compute_pipeline(
                    label=label, layout=layout, compute={"module": module, "entry_point": entry}
                )
            self._compute[key] = pipeline
            self.counters.pipelines_created += 1
        return pipeline

    def render(self, spec: RenderSpec, label: str = "draws") -> wgpu.GPURenderPipeline:
        """Return the render pipeline of ``spec``.

        Raises
        ------
        StateError
            The state asks for alpha to coverage and the target has one sample.
        GpuError
            wgpu refuses the module or the pipeline.
        """
        pipeline = self._render.get(spec)
        if pipeline is None:
            arguments = _render_arguments(spec)
            module = self.module(spec.wgsl, label)
            vertex: Any = {"module": module, "entry_point": spec.vertex_entry, "buffers": []}
            fragment: Any = {
                "module": module,
                "entry_point": spec.fragment_entry,
                "targets": _targets(spec),
            }
            layout = self.layouts.pipeline(spec.groups)
            entries = (spec.vertex_entry, spec.fragment_entry)
            what = f"the render pipeline {label!r} was refused"
            with _placed(spec.wgsl, *entries), GpuCalls(what, entry_points=", ".join(entries)):
                pipeline = self.device.create_render_pipeline(
                    label=label, layout=layout, vertex=vertex, fragment=fragment, **arguments
                )
            self._render[spec] = pipeline
            self.counters.pipelines_created += 1
        return pipeline


def pipelines_of(device: wgpu.GPUDevice) -> Pipelines:
    """Return the one cache of ``device``, so that scenes that share a device share pipelines.

    It hangs on the device itself: pipelines hold their device, so a table beside it, even a weak one,
    would keep both for ever.
    """
    pipelines = getattr(device, "_heapscene_pipelines", None)
    if pipelines is None:
        pipelines = Pipelines(device, Counters())
        setattr(device, "_heapscene_pipelines", pipelines)  # noqa: B010  not wgpu's attribute
    return pipelines


def _render_arguments(spec: RenderSpec) -> dict[str, Any]:
    state = spec.state
    if state.alpha_to_coverage and spec.samples == 1:
        raise StateError(
            explain(
                "alpha_to_coverage needs a target with several samples",
                facts={"samples": spec.samples},
                fix="Render with samples=4, or leave alpha_to_coverage out.",
            )
        )
    arguments: dict[str, Any] = {
        "primitive": {
            "topology": state.topology,
            "cull_mode": state.cull_mode,
            "front_face": state.front_face,
        },
        "multisample": {
            "count": spec.samples,
            "mask": 0xFFFFFFFF,
            "alpha_to_coverage_enabled": state.alpha_to_coverage,
        },
    }
    if spec.depth_format is not None:
        depth: dict[str, Any] = {
            "format": spec.depth_format,
            "depth_write_enabled": state.depth_write,
            "depth_compare": state.depth_compare,
        }
        if state.topology == "triangle-list":  # WebGPU has a bias for triangles only
            depth["depth_bias"] = state.depth_bias
            depth["depth_bias_slope_scale"] = state.depth_bias_slope_scale
            depth["depth_bias_clamp"] = state.depth_bias_clamp
        arguments["depth_stencil"] = depth
    return arguments


def _targets(spec: RenderSpec) -> list[dict[str, Any]]:
    return [
        _target(spec.state, color_format, location in spec.outputs)
        for location, color_format in enumerate(spec.color_formats)
    ]


def _target(state: PipelineState, color_format: str, written: bool) -> dict[str, Any]:
    if not written:
        return {"format": color_format, "write_mask": 0}
    mask = sum(1 << "rgba".index(channel) for channel in set(state.write_mask))
    target: dict[str, Any] = {"format": color_format, "write_mask": mask}
    if state.blend != "none":
        target["blend"] = {
            part: {"operation": _ADD, "src_factor": source, "dst_factor": destination}
            for part, (source, destination) in zip(
                ("color", "alpha"), _BLENDS[state.blend], strict=True
            )
        }
    return target


_REWRITE = (
    "Write the line of Python that it comes from in another way, or correct the WGSL given for it."
)


def _explain_module(wgsl: str, label: str, cause: str) -> str:
    lines = wgsl.splitlines()
    found = _LINE_OF_ERROR.search(cause)
    facts: dict[str, object] = {"cause": sentence(cause)}
    if found is not None:
        at, column = int(found[1]), int(found[2])
        facts["at"] = f"line {at}, column {column} of {len(lines)}"
        first = max(1, at - _AROUND)
        facts["WGSL"] = ""
        text = "\n".join(
            f"{'>' if number == at else ' '} {number:4} | {lines[number - 1]}"
            for number in range(first, min(len(lines), at + _AROUND) + 1)
        )
        told = explain(f"WGSL of {label!r} is not valid", facts=facts, fix="").rstrip()
        return "\n".join([*_with_place(told, wgsl, at), text, _REWRITE])
    return explain(f"WGSL of {label!r} is not valid", facts=facts, fix=_REWRITE)


def _with_place(told: str, wgsl: str, *at: int | str) -> list[str]:
    """Put where it is in Python below what is wrong."""
    from heapscene.shader import python_place  # the compiler, which an error has time to load

    first, *rest = told.split("\n")
    return [first, *(line for each in at for line in python_place(wgsl, each)), *rest]


@contextmanager
def _placed(wgsl: str, *entries: str) -> Generator[None, None, None]:
    """Show in Python which entry points a refused pipeline has."""
    try:
        yield
    except GpuError as error:
        if type(error) is not GpuError:
            raise
        told = "\n".join(_with_place(str(error), wgsl, *entries))
        raise GpuError(told) from error.__cause__
