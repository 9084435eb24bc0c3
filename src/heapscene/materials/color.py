"""Colour arithmetic in shaders."""

from __future__ import annotations

from heapscene.shader import function, max, pow, select, vec3, vec4  # noqa: A004  shader functions

__all__ = ["linear"]


@function
def linear(color: vec4) -> vec4:
    """Return an sRGB colour (straight alpha) in linear light, by IEC 61966-2-1's exact curve."""
    low = color.xyz / 12.92
    high = pow(max((color.xyz + 0.055) / 1.055, vec3(0.0)), vec3(2.4))
    return vec4(select(high, low, color.xyz <= vec3(0.04045)), color.w)
