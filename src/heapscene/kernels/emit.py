"""WGSL of a compute function."""

from __future__ import annotations

from typing import Any

from heapscene.shader import ShaderFunction
from heapscene.shader.ir.nodes import EntryPoint, Module, Port
from heapscene.shader.wgsl.emit import emit

__all__ = ["compute_wgsl"]


def compute_wgsl(function: ShaderFunction[..., Any]) -> str:
    """Return a complete module with one compute entry point."""
    ir = function.ir
    ports = tuple(
        Port(local, builtin=parameter.default.name)
        for local, parameter in zip(ir.parameters, function.parameters, strict=True)
    )
    size = function.workgroup_size or (1, 1, 1)
    return emit(Module((EntryPoint("compute", ir, ports, workgroup_size=size),)))
