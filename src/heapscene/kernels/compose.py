"""The matrix of a table's row, made of its columns where it is needed.

Products are written out, so that every compiler adds in the same order.
"""

from __future__ import annotations

from heapscene.shader import dot, function, mat4, max, vec3, vec4  # noqa: A004

__all__ = ["compose", "product"]


@function
def compose(position: vec3, rotation: vec4, scale: vec3) -> mat4:
    """Return the matrix that scales, rotates by a quaternion of any length but zero, and moves."""
    q = rotation
    two = 2.0 / max(dot(q, q), 1.0e-30)
    x = q.xyz * (two * q.x)
    y = q.xyz * (two * q.y)
    z = q.xyz * (two * q.z)
    w = q.xyz * (two * q.w)
    return mat4(
        vec4(1.0 - (y.y + z.z), x.y + w.z, x.z - w.y, 0.0) * scale.x,
        vec4(x.y - w.z, 1.0 - (x.x + z.z), y.z + w.x, 0.0) * scale.y,
        vec4(x.z + w.y, y.z - w.x, 1.0 - (x.x + y.y), 0.0) * scale.z,
        vec4(position, 1.0),
    )


@function
def product(a: mat4, b: mat4) -> mat4:
    """Return ``a @ b``, each number summed from left to right."""
    return mat4(
        a[0] * b[0].x + a[1] * b[0].y + a[2] * b[0].z + a[3] * b[0].w,
        a[0] * b[1].x + a[1] * b[1].y + a[2] * b[1].z + a[3] * b[1].w,
        a[0] * b[2].x + a[1] * b[2].y + a[2] * b[2].z + a[3] * b[2].w,
        a[0] * b[3].x + a[1] * b[3].y + a[2] * b[3].z + a[3] * b[3].w,
    )
