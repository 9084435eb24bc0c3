"""Resources in CPython: arrays and uniforms while they are bound."""

import numpy as np
import pytest

from heapscene.errors import InputError, ShaderTypeError
from heapscene.shader import (
    array_length,
    builtin,
    compute,
    f32,
    i32,
    mat4,
    private,
    storage,
    struct,
    u32,
    uniform,
    vec3,
    vec3u,
    workgroup,
)
from heapscene.shader.types import F32, U32, ArrayType


@struct
class Params:
    n: u32
    scale: f32


@struct
class Item:
    where: vec3
    count: u32


page = storage("page", f32, binding=0)
out = storage("out", f32, binding=1, access="read_write")
points = storage("points", vec3, binding=2, access="read_write")
matrices = storage("matrices", mat4, binding=3)
items = storage("items", Item, binding=4, access="read_write")
params = uniform("params", Params, binding=5)
shared = workgroup("shared", u32, 64)
own = private("own", f32, 4)


@compute(workgroup_size=64)
def scale_all(gid: vec3u = builtin.global_invocation_id) -> None:
    if gid.x >= params.n:
        return
    out[gid.x] = page[gid.x] * params.scale


def test_declaration():
    assert page.type == ArrayType(F32)
    assert (page.space, page.access, page.group, page.binding) == ("storage", "read", 0, 0)
    assert params.type == Params.__shader_type__
    assert params.space == "uniform"
    assert shared.type == ArrayType(U32, 64)
    assert (shared.space, shared.binding) == ("workgroup", None)
    assert own.space == "private"


def test_compute_function_over_all_invocations():
    data = np.arange(5, dtype=np.float32)
    result = np.zeros(5, np.float32)
    with (
        page.bound_to(data),
        out.bound_to(result),
        params.bound_to(Params(n=4, scale=0.1)),
    ):
        for i in range(64):
            scale_all(vec3u(i, 0, 0))
    assert np.array_equal(result, [*(data[:4] * np.float32(0.1)), 0])
    assert scale_all.workgroup_size == (64, 1, 1)


def test_elements_have_their_types():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    with points.bound_to(array), matrices.bound_to(np.eye(4, dtype=np.float32)[None]):
        assert type(points[u32(1)]) is vec3
        points[i32(0)] = points[1] * 2.0
        assert matrices[0] == mat4.identity()
        assert array_length(points) == 2
        assert type(array_length(points)) is u32
    assert array[0].tolist() == [6, 8, 10]


def test_struct_elements():
    rows = np.zeros(2, dtype=[("where", np.float32, 3), ("count", np.uint32)])
    with items.bound_to(rows):
        items[1] = Item(where=vec3(1, 2, 3), count=7)
        assert items[1].where.y == 2
        assert items[1].replace(count=8).count == 8
    assert rows["count"].tolist() == [0, 7]


def test_faults():
    with pytest.raises(InputError, match=r"with page\.bound_to"):
        _ = page[0]
    with page.bound_to(np.zeros(3, np.float32)):
        for index in (3, -1, u32(7)):
            with pytest.raises(IndexError, match="length"):
                _ = page[index]
        with pytest.raises(ShaderTypeError, match="read-only"):
            page[0] = 1.0
        with pytest.raises(ShaderTypeError, match="whole number"):
            _ = page[f32(1)]
    with out.bound_to(np.zeros(3, np.float32)), pytest.raises(ShaderTypeError, match="element"):
        out[0] = vec3(1.0)
    for wrong in (np.zeros(3), np.zeros((3, 2), np.float32), [1.0], np.zeros((), np.float32)):
        with pytest.raises(InputError, match=r"float32 \(n,\)"), page.bound_to(wrong):
            pass
    with pytest.raises(AttributeError, match="n, scale"):
        _ = params.m
    with pytest.raises(ShaderTypeError, match="struct"):
        uniform("bad", f32, binding=0)
    with pytest.raises(ShaderTypeError, match="not a name"):
        storage("a b", f32, binding=0)
    with pytest.raises(ShaderTypeError, match="not a shader type"):
        storage("a", float, binding=0)
    with pytest.raises(ShaderTypeError, match=r"global_invocation_id|gid"):
        scale_all()


def test_binding_nests():
    a, b = np.zeros(1, np.float32), np.ones(1, np.float32)
    with page.bound_to(a):
        with page.bound_to(b):
            assert page[0] == 1
        assert page[0] == 0
