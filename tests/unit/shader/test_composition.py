"""Chains of stage functions: who reads what of whom, what is dropped, what is refused."""

from __future__ import annotations

import pytest

from heapscene.errors import ShaderTypeError
from heapscene.shader import (
    Program,
    builtin,
    discard,
    dot,
    f32,
    flat,
    fragment,
    function,
    mat4,
    max,
    normalize,
    sin,
    storage,
    struct,
    u32,
    vec2,
    vec3,
    vec4,
    vertex,
)
from heapscene.shader.direct import direct_module
from heapscene.shader.ir import verify_module
from heapscene.shader.pruning import keep_members
from heapscene.shader.types import F32, U32, VEC2, VEC3, VEC4
from reference.structs import Attributes


@struct
class Camera:
    view_proj: mat4


@struct
class Placed:
    clip: vec4 = builtin.position
    normal: vec3
    world: vec3


@vertex
def place(a: Attributes, u: Camera) -> Placed:
    return Placed(clip=u.view_proj @ vec4(a.position, 1.0), normal=a.normal, world=a.position)


@struct
class Wave:
    normal: vec3
    uv: vec2


@struct
class Clock:
    time: f32


@struct
class Waved:
    height: f32
    normal: vec3


@vertex
def wave(w: Wave, u: Clock) -> Waved:
    height = sin(w.uv.x + u.time)
    return Waved(height=height, normal=normalize(w.normal + vec3(height, 0.0, 0.0)))


@vertex
def lift(p: Placed, w: Waved) -> Placed:
    return p


@struct
class Lit:
    normal: vec3
    height: f32


@struct
class Sun:
    direction: vec3
    color: vec4


@fragment
def base(v: Lit, u: Sun) -> vec4:
    return u.color * v.height


@struct
class Colored:
    color: vec4
    normal: vec3


@fragment
def shine(v: Colored, u: Sun) -> vec4:
    return v.color * max(dot(v.normal, u.direction), 0.0)


@struct
class Deep:
    color: vec4
    depth: f32 = builtin.frag_depth
    pick: u32


@fragment
def picked(v: Colored, front: bool = builtin.front_facing) -> Deep:
    pick = u32(7) if front else u32(8)
    return Deep(color=v.color, depth=0.5, pick=pick)


def names(program: Program, stage: str, role: str) -> list[str]:
    return [field.name for field in getattr(program, f"{stage}_stage").read(role)]


def test_a_later_function_reads_what_an_earlier_one_returns():
    program = Program([place, wave], [base, shine])
    verify_module(direct_module(program))
    face = program.interface
    assert dict(face.attributes) == {"normal": VEC3, "position": VEC3, "uv": VEC2}
    assert set(face.inputs) == {"color", "direction", "time", "view_proj"}
    assert dict(face.varyings) == {"normal": VEC3, "height": F32}
    assert dict(face.outputs) == {"color": VEC4}
    assert repr(program) == "Program([place, wave], [base, shine])"
    text = program.wgsl
    # wave takes the normal from place and its uv from the geometry
    assert "Wave(of_place.normal, given.uv)" in text
    assert "Colored(of_base, given.normal)" in text


def test_only_what_is_read_crosses_and_is_computed():
    program = Program([place, wave], [base, shine])
    assert [v.name for v in program.varyings] == ["normal", "height"]
    assert "world: vec3" not in program.wgsl.split("struct VertexOut")[1]
    assert "a.normal, vec3<f32>());" in program.wgsl.split("fn place(")[1]


@fragment
def flat_white(v: Lit, u: Sun) -> vec4:
    return vec4(v.height) + u.color


def test_attributes_that_only_unread_varyings_need_are_not_loaded():
    program = Program([place, wave], flat_white)
    assert names(program, "vertex", "attributes") == ["position", "uv"]
    assert [v.name for v in program.varyings] == ["height"]
    assert set(program.interface.attributes) == {"normal", "position", "uv"}
    assert "normal" not in program.wgsl.split("fn vertex_main")[1].split("{")[0]


def test_an_input_that_a_fragment_reads_is_no_varying():
    program = Program(place, shine_only)
    assert [v.name for v in program.varyings] == ["normal"]
    assert names(program, "fragment", "inputs") == ["direction", "color"]


@struct
class Normal:
    normal: vec3


@fragment
def shine_only(v: Normal, u: Sun) -> vec4:
    return u.color * dot(v.normal, u.direction)


def test_outputs_are_pinned_to_the_names_of_the_target():
    program = Program([place, wave], [base, picked])
    assert dict(program.interface.outputs) == {"color": VEC4, "pick": U32}
    pinned = program.pinned(["depth_map", "pick"])
    assert [(field.name, k) for field, k in pinned.outputs] == [("pick", 1)]
    assert dict(pinned.interface.outputs) == {"pick": U32}
    assert "@location(1) pick: u32," in pinned.wgsl
    assert "@builtin(frag_depth) depth: f32," in pinned.wgsl
    # nobody needs the colour any more, so nothing crosses
    assert pinned.varyings == ()
    assert names(pinned, "fragment", "inputs") == []
    assert names(pinned, "vertex", "attributes") == ["position"]
    assert pinned == Program([place, wave], [base, picked], targets=["depth_map", "pick"])
    assert pinned.hash != program.hash
    assert program.pinned(["color", "pick"]) is program


def test_outputs_that_the_target_does_not_name_at_all():
    with pytest.raises(ShaderTypeError) as caught:
        Program(place, shine_only, targets=["pick"])
    text = str(caught.value)
    assert "does not write the colour targets" in text
    assert "writes   color" in text
    assert "targets  pick" in text


@vertex
def swapped(p: Placed) -> Placed:
    return p.replace(clip=p.clip.yxzw)


def test_the_position_is_handed_on_under_any_name():
    program = Program([place, nudge], shine_only)
    text = program.wgsl
    assert "Moving(of_place.clip)" in text
    assert "@builtin(position) clip: vec4<f32>," in text
    assert Program([place, swapped], shine_only).wgsl.count("fn place(") == 1


@struct
class Moving:
    at: vec4 = builtin.position


@vertex
def nudge(m: Moving) -> Moving:
    return Moving(at=m.at + vec4(0.1, 0.0, 0.0, 0.0))


def test_one_function_in_a_list_is_that_function():
    assert Program([place], [shine_only]).wgsl == Program(place, shine_only).wgsl
    assert Program([place], (shine_only,)) == Program(place, shine_only)


def test_order_matters():
    assert Program([place, nudge, swapped], shine_only) != Program(
        [place, swapped, nudge], shine_only
    )


@struct
class Flat:
    kind: u32 = flat
    clip: vec4 = builtin.position


@struct
class OtherNormal:
    normal: vec4


@vertex
def normal_of_four(a: OtherNormal) -> Flat:
    return Flat(kind=u32(a.normal.x), clip=a.normal)


@vertex
def returns_four(a: Attributes) -> OtherNormal:
    return OtherNormal(normal=vec4(a.normal, 0.0))


@struct
class OtherSun:
    direction: vec4


@fragment
def other_sun(v: Normal, u: OtherSun) -> vec4:
    return u.direction


@struct
class FrameAttribute:
    frame: mat4


@vertex
def takes_matrix(a: FrameAttribute) -> Normal:
    return Normal(normal=(a.frame @ vec4(1.0)).xyz)


@fragment
def reads_clip(v: Placed) -> vec4:
    return v.clip


@pytest.mark.parametrize(
    ("vertex_chain", "fragment_chain", "said"),
    [
        ([place, normal_of_four], shine_only, ["normal_of_four reads 'normal' as vec4", "place "]),
        ([place, returns_four], shine_only, ["returns_four replaces 'normal', which is vec3"]),
        (place, [shine_only, other_sun], ["the input 'direction' is vec3 in shine_only and vec4"]),
        ([place, takes_matrix], shine_only, ["the field 'frame' of FrameAttribute cannot be"]),
        ([wave], shine_only, ["no vertex function of the program returns builtin.position"]),
        ([], shine_only, ["the list of vertex functions is empty", "Program(vertex, fragment)"]),
        ([place, shine_only], shine_only, ["'shine_only' is no vertex function"]),
        ([place, wave], [shine_only, reads_clip], ["reads 'clip', which is the clip position"]),
    ],
    ids=lambda value: "",
)
def test_functions_that_do_not_fit(vertex_chain, fragment_chain, said):
    with pytest.raises(ShaderTypeError) as caught:
        Program(vertex_chain, fragment_chain)
    for text in said:
        assert text in str(caught.value)


# Locations --------------------------------------------------------------------------------------


def many(count: int, front: bool = False) -> tuple:
    fields = "\n".join(f"    v{k}: f32" for k in range(count))
    values = ", ".join(f"v{k}=a.position.x" for k in range(count))
    total = " + ".join(f"v.v{k}" for k in range(count))
    side = ", side: bool = builtin.front_facing" if front else ""
    text = f"""
@struct
class Many:
    clip: vec4 = builtin.position
{fields}
@vertex(source=VERTEX)
def spread(a: Attributes) -> Many:
    return Many(clip=vec4(a.position, 1.0), {values})
@fragment(source=FRAGMENT)
def gather(v: Many{side}) -> vec4:
    return vec4({total})
"""
    lines = text.splitlines(keepends=True)
    at = [k for k, line in enumerate(lines) if line.startswith("def ")]
    scope = {**globals(), "VERTEX": "".join(lines[at[0] : at[0] + 2])}
    scope["FRAGMENT"] = "".join(lines[at[1] : at[1] + 2])
    exec(text, scope)
    return scope["spread"], scope["gather"]


def test_sixteen_values_cross_and_not_one_more():
    assert len(Program(*many(16)).varyings) == 16
    with pytest.raises(ShaderTypeError) as caught:
        Program(*many(17))
    text = str(caught.value)
    assert "17 values go from the vertex to the fragment stage, 16 are possible" in text
    assert "v0: f32, v1: f32" in text
    assert "v16: f32" in text


def test_front_facing_takes_the_room_of_one():
    assert len(Program(*many(15, front=True)).varyings) == 15
    with pytest.raises(ShaderTypeError, match=r"besides +builtin.front_facing"):
        Program(*many(16, front=True))


# Pruning ----------------------------------------------------------------------------------------

counters = storage("counters", u32, binding=0, access="read_write")


@function
def counted(x: f32) -> f32:
    counters[0] += 1
    return x * 2.0


@function
def loop_total(x: f32) -> Lit:
    total = 0.0
    unused = 1.0
    for _ in range(4):
        total += x
        unused = unused * total
    seen = counted(x)  # noqa: F841  a call for its effect
    if x > 1.0:
        unused = 2.0
    return Lit(normal=vec3(unused), height=total)


@function
def doubled(x: f32) -> Lit:
    made = loop_total(x)
    return Lit(normal=made.normal, height=made.height)


def text_of(shader, *kept: str) -> str:
    from heapscene.shader.ir import print_function, reachable_functions

    function = keep_members(shader.ir, frozenset(kept))
    return "\n".join(print_function(each) for each in reachable_functions(function))


def test_what_only_dropped_members_need_is_dropped_with_them():
    text = text_of(loop_total, "height")
    assert "unused" not in text
    assert "total" in text
    assert "if" not in text


def test_effects_stay():
    assert "counted(" in text_of(loop_total, "height")
    assert "seen" in text_of(loop_total, "height")


def test_members_are_followed_into_calls():
    assert "unused" not in text_of(doubled, "height")
    assert "unused" in text_of(doubled, "normal")


@function
def early(x: f32) -> Lit:
    if x > 0.0:
        return Lit(normal=vec3(sin(x)), height=x)
    while x > 3.0:
        break
    return Lit(normal=vec3(1.0), height=0.0)


def test_every_return_is_cut():
    text = text_of(early, "height")
    assert "sin" not in text
    assert "while" in text


def test_a_function_that_is_kept_whole_is_the_same_object():
    assert keep_members(early.ir, frozenset({"normal", "height"})) is early.ir
    assert keep_members(counted.ir, frozenset({"*"})) is counted.ir


@fragment
def discards(v: Colored) -> vec4:
    if v.normal.x > 0.0:
        discard()
    return v.color


def test_discard_of_an_earlier_function_stays():
    program = Program([place, wave], [base, discards, picked], targets=["pick"])
    assert "discard;" in program.wgsl
    assert [v.name for v in program.varyings] == ["normal"]
