"""Structs: fields, defaults, immutability."""

from __future__ import annotations

import numpy as np
import pytest

from heapscene.errors import ShaderNameError, ShaderTypeError
from heapscene.shader import builtin, f32, flat, mat4, struct, u32, vec3, vec4
from heapscene.shader.types import F32, MAT4, VEC3, VEC4, StructField, StructType


@struct
class Inputs:
    model: mat4
    color: vec4
    time: f32 = 0.5


@struct
class Varyings:
    normal: vec3
    id_color: vec4 = flat
    clip: vec4 = builtin.position


def test_type():
    assert Inputs.__shader_type__ == StructType(
        "Inputs",
        (StructField("model", MAT4), StructField("color", VEC4), StructField("time", F32)),
    )
    normal, color, clip = Varyings.__shader_type__.fields
    assert normal == StructField("normal", VEC3)
    assert color.interpolate == "flat"
    assert clip.builtin == "position"
    assert Inputs.__shader_type__.field("time").default == 0.5
    assert type(Inputs.__shader_type__.field("time").default) is f32


def test_values_are_converted():
    u = Inputs(model=np.eye(4), color=(1, 0.5, 0.25, 1))
    assert type(u.model) is mat4
    assert type(u.color) is vec4
    assert type(u.time) is f32
    assert u == Inputs(model=mat4.identity(), color=vec4(1, 0.5, 0.25, 1), time=0.5)
    assert u != u.replace(time=1)
    assert hash(u) == hash(u.replace(time=0.5))
    assert "time=0.5" in repr(u)
    assert np.array_equal(Varyings(normal=vec3(1.0), id_color=vec4(1.0)).clip, [0, 0, 0, 0])


def test_struct_in_struct():
    @struct
    class Outer:
        inner: Inputs
        n: u32

    outer = Outer(inner=Inputs(model=np.eye(4), color=vec4(1.0)), n=3)
    assert outer.inner.time == 0.5
    assert Outer.__shader_type__.words == 16 + 4 + 1 + 1


def test_does_not_change():
    u = Inputs(model=np.eye(4), color=vec4(1.0))
    with pytest.raises(ShaderTypeError, match=r"s = s\.replace\(time=\.\.\.\)"):
        u.time = 1.0
    with pytest.raises(ShaderTypeError):
        del u.time
    assert u.replace(time=2).time == 2
    assert u.time == 0.5


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (lambda: Inputs(model=np.eye(4)), "needs color"),
        (lambda: Inputs(model=np.eye(4), color=vec4(1.0), colour=1), "no field 'colour'"),
        (lambda: Inputs(model=np.eye(3), color=vec4(1.0)), "field 'model' of Inputs"),
        (lambda: Inputs(model=np.eye(4), color=vec3(1.0)), "vec3 where vec4"),
        (lambda: Inputs(model=np.eye(4), color=vec4(1.0), time=u32(1)), "u32 where f32"),
        (lambda: Inputs(model=np.eye(4), color="red"), "field 'color'"),
        (lambda: Varyings(normal=vec3(1.0)), "needs id_color"),
    ],
)
def test_refused_values(run, text):
    with pytest.raises(ShaderTypeError, match=text):
        run()


def test_refused_classes():
    with pytest.raises(ShaderTypeError, match="Write f32"):

        @struct
        class Plain:
            x: float

    with pytest.raises(ShaderTypeError, match="builtin position is vec4"):

        @struct
        class Wrong:
            clip: vec3 = builtin.position

    with pytest.raises(ShaderTypeError, match="no fields"):

        @struct
        class Empty:
            pass

    with pytest.raises(ShaderTypeError, match="has bases"):

        @struct
        class Derived(Inputs):
            y: f32

    with pytest.raises(ShaderTypeError, match="default of field"):

        @struct
        class Default:
            x: vec3 = vec4(0.0)

    with pytest.raises(ShaderNameError, match="nowhere"):

        @struct
        class Unknown:
            x: nowhere
