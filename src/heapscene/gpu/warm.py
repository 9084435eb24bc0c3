"""Teach cffi the C types that wgpu will ask for, all in one go.

wgpu-py names C types by text, and cffi parses each text at its first use together with all 430 type
names of the library: 18 ms apiece, 1.3 s of the first picture on one core of a small machine. A
function type with all of them as parameters is parsed once, and brings them all.

This writes into a cache of cffi that is not public. If it is not there, or a type is unknown to
another wgpu, nothing happens and the types are parsed one by one.
"""

from __future__ import annotations

from typing import Any

__all__ = ["teach_types"]

_STRUCTS = [
    "AdapterInfo",
    "BindGroupDescriptor",
    "BindGroupEntry",
    "BindGroupLayoutDescriptor",
    "BindGroupLayoutEntry",
    "BufferBindingLayout",
    "BufferDescriptor",
    "BufferMapCallbackInfo",
    "ChainedStruct",
    "Color",
    "ColorTargetState",
    "CommandBufferDescriptor",
    "CommandEncoderDescriptor",
    "ComputePassDescriptor",
    "ComputePipelineDescriptor",
    "ComputeState",
    "DepthStencilState",
    "DeviceDescriptor",
    "DeviceExtras",
    "DeviceLostCallbackInfo",
    "Extent3D",
    "FragmentState",
    "InstanceDescriptor",
    "Limits",
    "MultisampleState",
    "NativeLimits",
    "Origin3D",
    "PassTimestampWrites",
    "PipelineLayoutDescriptor",
    "PrimitiveState",
    "PrimitiveStateExtras",
    "QuerySetDescriptor",
    "QueueDescriptor",
    "RenderPassColorAttachment",
    "RenderPassDepthStencilAttachment",
    "RenderPassDescriptor",
    "RenderPipelineDescriptor",
    "RequestAdapterCallbackInfo",
    "RequestAdapterOptions",
    "RequestDeviceCallbackInfo",
    "ShaderModuleDescriptor",
    "ShaderSourceWGSL",
    "StencilFaceState",
    "StringView",
    "TexelCopyBufferInfo",
    "TexelCopyBufferLayout",
    "TexelCopyTextureInfo",
    "TextureDescriptor",
    "TextureViewDescriptor",
    "UncapturedErrorCallbackInfo",
    "VertexState",
]
_ARRAYS = [
    "BindGroupEntry",
    "BindGroupLayout",
    "BindGroupLayoutEntry",
    "ColorTargetState",
    "CommandBuffer",
    "FeatureName",
    "RenderPassColorAttachment",
]
_CALLBACKS = (
    "void(WGPULogLevel, WGPUStringView, void *)",
    "void(WGPURequestAdapterStatus, WGPUAdapter, WGPUStringView, void *, void *)",
    "void(WGPURequestDeviceStatus, WGPUDevice, WGPUStringView, void *, void *)",
    "void(WGPUDevice const *, WGPUDeviceLostReason, WGPUStringView, void *, void *)",
    "void(WGPUDevice const *, WGPUErrorType, WGPUStringView, void *, void *)",
    "void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)",
)
_PLAIN = ("uintptr_t", "intptr_t", "uint8_t *", "WGPUChainedStruct * ")


def teach_types(ffi: Any) -> bool:
    """Fill the type cache of wgpu's ``ffi`` object; return whether it took the types."""
    cache = getattr(ffi, "_parsed_types", None)
    if not isinstance(cache, dict):
        return False
    pointers = [*(f"WGPU{name} *" for name in _STRUCTS), *_PLAIN]
    arrays = [*(f"WGPU{name}[]" for name in _ARRAYS), "char []", "uint8_t []", "uint32_t []"]
    parameters = [
        *pointers,
        *(name.replace("[]", "(*)[]") for name in arrays),
        *(name.replace("void(", "void(*)(", 1) for name in _CALLBACKS),
    ]
    try:
        kinds = ffi.typeof(f"void(*)({', '.join(parameters)})").args
    except Exception:  # noqa: BLE001  cffi raises several kinds; without this it is slower, no more
        return False
    for name, kind in zip([*pointers, *arrays, *_CALLBACKS], kinds, strict=True):
        is_function = name in _CALLBACKS
        cache.setdefault(name, (kind.item if name in arrays else kind, is_function))
    return True
