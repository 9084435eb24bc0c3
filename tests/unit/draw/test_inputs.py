"""Every array that somebody may hand in, in every form that NumPy has for it.

It is converted once, to what the contiguous, native array becomes, or refused when it is given;
and nobody edits it later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import heapscene as hs
from heapscene.draw import DrawChange, encode_value
from heapscene.errors import GeometryError, HeapsceneError, InputError
from heapscene.heap import DrawHeap, check
from heapscene.render.frame_inputs import FrameInputs
from heapscene.shader import BOOL, I32, U32, types

FRAME = {"view": types.MAT4, "proj": types.MAT4}
POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1)]
PLAIN = hs.Geometry({"position": POINTS}, [0, 1, 2, 1, 3, 2])
UNLIT = hs.UnlitMaterial().program
BOOLS, WHOLE, REAL = "b", "iu", "f"
Read = Callable[[], bytes]


def on_a_page(*draws: hs.Draw) -> bytes:
    heap = DrawHeap(1 << 16, FRAME)
    heap.apply([DrawChange(None, draw) for draw in draws])
    check(heap)
    return b"".join(page.data[: page.used].tobytes() for page in heap.pages)


def of_scene(scene: hs.Scene) -> bytes:
    heap = DrawHeap(1 << 16, FRAME)
    heap.apply(scene.draw_reader().changes())
    return b"".join(page.data[: page.used].tobytes() for page in heap.pages)


def unlit(**values: Any) -> Read:
    instances = values.pop("instances", {})
    count = values.pop("count", 1)
    given = {"model": np.eye(4), "color": (1, 0, 0, 1)} | values
    inputs = {name: value for name, value in given.items() if name not in instances}
    draw = hs.Draw(UNLIT, PLAIN, inputs, instances, instance_count=count)
    return lambda: on_a_page(draw)


def node(**values: Any) -> Read:
    scene = hs.Scene(hs.Mesh(PLAIN, hs.UnlitMaterial(), **values))
    return lambda: of_scene(scene)


def assigned(name: str, value: Any) -> Read:
    mesh = hs.Mesh(PLAIN, hs.UnlitMaterial())
    scene = hs.Scene(hs.Group(mesh))
    of_scene(scene)
    setattr(mesh, name, value)
    return lambda: of_scene(scene)


def table(name: str = "", value: Any = None) -> hs.DrawTable:
    first = {"position": np.zeros((6, 3)), "color": np.ones((6, 4)), "scale": np.ones(6)}
    columns = {**first, "visible": True, "geometry": 0}
    if name == "model":
        del columns["position"], columns["scale"]
    if name:
        columns[name] = value
    return hs.DrawTable(hs.UnlitMaterial(), [PLAIN, PLAIN], columns)


def made_with(name: str) -> Callable[[Any], Read]:
    def make(value: Any) -> Read:
        rows = table(name, value)
        return lambda: bytes(rows[name])

    return make


def written(name: str) -> Callable[[Any], Read]:
    def make(value: Any) -> Read:
        rows = table(name, np.tile(np.eye(4), (6, 1, 1))) if name == "model" else table()
        rows.write(name, value)
        return lambda: bytes(rows[name])

    return make


def appended(name: str) -> Callable[[Any], Read]:
    def make(value: Any) -> Read:
        rows = table()
        given = {"position": (0, 0, 0), "color": (1, 1, 1), "scale": 1.0} | {name: value}
        rows.append(given)
        return lambda: bytes(rows[name]) + bytes(rows.alive)

    return make


def chosen(value: Any) -> Read:
    rows = table()
    rows.write("position", (1, 1, 1), rows=value)
    return lambda: bytes(rows["position"])


def deleted(value: Any) -> Read:
    rows = table()
    rows.delete(value)
    return lambda: bytes(rows.alive)


def moved_table(value: Any) -> Read:
    rows = table()
    rows.transform = value
    return lambda: bytes(np.asarray(rows.transform))


def geometry(name: str) -> Callable[[Any], Read]:
    def make(value: Any) -> Read:
        made = hs.Geometry({"position": POINTS, name: value})
        return lambda: bytes(made.read_attributes()[name])

    return make


def indices(value: Any) -> Read:
    made = hs.Geometry({"position": POINTS}, value)
    return lambda: bytes(np.asarray(made.read_indices()).astype(np.uint32))


def camera(value: Any) -> Read:
    made = hs.PerspectiveCamera(position=(3, 4, 5), target=(1, 2, 9))
    made.position = value
    return lambda: bytes(made.matrices(1.0, np.zeros((2, 3))).view)


class Lens:
    def __init__(self, view: Any) -> None:
        self.view = view
        self.proj = np.eye(4)


def lens(value: Any) -> Read:
    from heapscene.draw import camera_matrices

    found = camera_matrices(Lens(value), 1.0, np.zeros((2, 3))).view.tobytes()
    return lambda: found  # read in every frame: what was handed out is what it was then


def frame_input(value: Any) -> Read:
    inputs = FrameInputs({"light": value})
    found = inputs.pack(hs.PerspectiveCamera().matrices(1.0, np.zeros((2, 3))), {})
    return lambda: found


def background(value: Any) -> Read:
    scene = hs.Scene(background=value)
    return lambda: encode_value(types.VEC4, scene.background, "background")


NUMBERS, INTEGERS = BOOLS + WHOLE + REAL, WHOLE
CORNERS = np.array([0, 1, 0, 0, 1, 1])
ROWS = np.array(POINTS)
FOUR = np.array([0, 1, 1, 1])
EYE = np.eye(4)
STACK = np.tile(EYE, (6, 1, 1))
COLORS = np.array([(0, 1, 0, 1)] * 3 + [(1, 1, 0, 1)] * 3)
# what it becomes, the array, the kinds of numbers that it takes, what is raised for all others
PLACES: dict[str, tuple[Callable[[Any], Read], NDArray[Any], str, type[HeapsceneError]]] = {
    "position": (geometry("position"), ROWS, NUMBERS, GeometryError),
    "attribute": (geometry("weight"), COLORS, NUMBERS, GeometryError),
    "adaptive position": (
        lambda a: geometry("position")(hs.cval(a)),
        ROWS,
        NUMBERS,
        GeometryError,
    ),
    "indices": (indices, CORNERS, INTEGERS, GeometryError),
    "triangles": (indices, CORNERS.reshape(2, 3), INTEGERS, GeometryError),
    "adaptive indices": (lambda a: indices(hs.cval(a)), CORNERS, INTEGERS, GeometryError),
    "vector input": (lambda a: unlit(color=a), FOUR, NUMBERS, InputError),
    "matrix input": (lambda a: unlit(model=a), EYE, NUMBERS, InputError),
    "rows of instances": (
        lambda a: unlit(instances={"color": a}, count=6),
        COLORS,
        NUMBERS,
        InputError,
    ),
    "matrices of instances": (
        lambda a: unlit(instances={"model": a}, count=6),
        STACK,
        NUMBERS,
        InputError,
    ),
    "node position": (lambda a: node(position=a), FOUR[:3], NUMBERS, InputError),
    "quaternion": (lambda a: node(rotation=a), FOUR, NUMBERS, InputError),
    "rotation matrix": (lambda a: node(rotation=a), np.eye(3), NUMBERS, InputError),
    "node scale": (lambda a: node(scale=a), FOUR[:3], NUMBERS, InputError),
    "node transform": (lambda a: node(transform=a), EYE, NUMBERS, InputError),
    "assigned position": (lambda a: assigned("position", a), FOUR[:3], NUMBERS, InputError),
    "assigned transform": (lambda a: assigned("transform", a), EYE, NUMBERS, InputError),
    "colour": (
        lambda a: unlit(**hs.UnlitMaterial(a).inputs),
        FOUR,
        NUMBERS,
        InputError,
    ),
    "background": (background, FOUR, NUMBERS, InputError),
    "camera position": (camera, FOUR[:3], NUMBERS, InputError),
    "camera matrix": (lens, EYE, NUMBERS, InputError),
    "frame input": (frame_input, FOUR, NUMBERS, InputError),
    "frame matrix": (frame_input, EYE, NUMBERS, InputError),
    "table transform": (moved_table, EYE, NUMBERS, InputError),
    "chosen rows": (chosen, CORNERS[:2], INTEGERS, InputError),
    "deleted rows": (deleted, CORNERS[:2], INTEGERS, InputError),
    "mask": (chosen, CORNERS, BOOLS + INTEGERS, InputError),
    "deleted mask": (deleted, CORNERS, BOOLS + INTEGERS, InputError),
}
for column, rows, kinds in (
    ("position", ROWS, NUMBERS),
    ("color", COLORS, NUMBERS),
    ("scale", CORNERS, NUMBERS),
    ("visible", CORNERS, BOOLS + WHOLE),
    ("geometry", CORNERS, BOOLS + WHOLE),
):
    for how, make in (("made", made_with), ("written", written), ("appended", appended)):
        PLACES[f"{how} {column}"] = (make(column), rows, kinds, InputError)
PLACES["made model"] = (made_with("model"), STACK, NUMBERS, InputError)
PLACES["written model"] = (written("model"), STACK, NUMBERS, InputError)

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"]
OTHERS = ["F", "D", "O", "U4", "S4", "M8[s]"]


def swapped(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(array.dtype.newbyteorder("S"))


def stepped(array: NDArray[Any]) -> NDArray[Any]:
    wide = np.zeros(tuple(2 * side for side in array.shape), array.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def backwards(array: NDArray[Any]) -> NDArray[Any]:
    turned = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[turned])[turned]


def unaligned(array: NDArray[Any]) -> NDArray[Any]:
    data = np.zeros(array.nbytes + 1, np.uint8)
    view = data[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def guarded(array: NDArray[Any]) -> NDArray[Any]:
    view = array.copy()[...]
    view.flags.writeable = False
    return view


def repeated(array: NDArray[Any]) -> NDArray[Any]:
    return np.broadcast_to(array[:1], array.shape)


FORMS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "plain": np.copy,
    "columns first": lambda array: np.array(array, order="F"),
    "other byte order": swapped,
    "every second": stepped,
    "backwards": backwards,
    "unaligned": unaligned,
    "read-only view": guarded,
    "a row again and again": repeated,
}


def outcome(make: Callable[[Any], Read], array: NDArray[Any]) -> bytes | type[Exception]:
    """Return what an array becomes, read after the user has written into it."""
    try:
        read = make(array)
    except HeapsceneError as error:
        return type(error)
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if root.flags.writeable:
        root[...] = True if root.dtype == np.bool_ else 3
    return read()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_numbers_in_every_form(place: str, form: str) -> None:
    make, values, kinds, error = PLACES[place]
    for code in DTYPES:
        plain = values.astype(np.dtype(code))
        if form == "a row again and again":
            plain = np.ascontiguousarray(repeated(plain))
        odd = FORMS[form](plain)
        assert (odd == plain).all()
        assert odd.dtype.kind == plain.dtype.kind
        expected = outcome(make, np.copy(plain))
        assert outcome(make, odd) == expected, code
        takes = plain.dtype.kind in kinds.replace("?", "b")
        if form != "a row again and again":
            assert isinstance(expected, bytes) == takes, (code, expected)
        if not takes:
            assert expected is error, code


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("code", OTHERS)
def test_what_is_no_number_is_refused(place: str, code: str) -> None:
    make, values, _, error = PLACES[place]
    array = values.astype(np.int64).astype(code)
    assert outcome(make, array) is error


@pytest.mark.parametrize("side", [2**31 + 6, 2**32, 2**33 + 1])
@pytest.mark.parametrize("place", PLACES)
def test_arrays_that_only_pretend_their_size_are_refused(place: str, side: int) -> None:
    make, values, _, error = PLACES[place]
    huge = np.broadcast_to(values[:1].astype(np.uint32), (side, *values.shape[1:]))
    with pytest.raises(error) as caught:
        make(huge)
    assert "huge" not in str(caught.value)
    assert any(char.isdigit() for char in str(caught.value))


LISTS: dict[str, tuple[Callable[[Any], Read], Any]] = {
    "rotation": (lambda a: node(rotation=a), np.eye(3).tolist()),
    "transform": (lambda a: node(transform=a), EYE.tolist()),
    "matrix input": (lambda a: unlit(model=a), EYE.tolist()),
    "tuple of lists": (lambda a: unlit(model=a), tuple(EYE.tolist())),
    "points": (geometry("position"), ROWS.tolist()),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_inside_are_not_edited_later(name: str) -> None:
    make, rows = LISTS[name]
    read = make(rows)
    before = read()
    rows[0][1] = 7.0
    assert read() == before


def test_bytes_that_can_be_written_are_copied() -> None:
    color = bytearray([1, 0, 1, 1])
    read = unlit(color=color)
    before = read()
    color[1] = 1
    assert read() == before


@pytest.mark.parametrize("value", [{1, 2, 3}, {0: 1, 1: 2, 2: 3}, "1 2 3", iter((1, 2, 3)), b"123"])
def test_what_has_no_order_or_is_text_is_no_vector(value: Any) -> None:
    with pytest.raises(InputError):
        hs.Mesh(PLAIN, hs.UnlitMaterial(), position=value)
    with pytest.raises(InputError):
        encode_value(types.VEC3, value, "tilt")


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (U32, -1), (U32, 2**32), (U32, 2.0), (U32, "7"), (U32, np.float64(1)), (U32, None),
        (I32, 2**31), (I32, 2.7), (I32, np.array(1.5)), (BOOL, 0.5), (BOOL, "yes"),
        (types.F32, "1.5"), (types.F32, 1j), (types.F32, np.complex64(1)), (types.F32, [1.0]),
        (types.F32, None), (types.F32, 1e300), (types.VEC3, np.array(["1", "2", "3"])),
        (types.VEC4, b"1234"),
    ],
)  # fmt: skip
def test_a_number_is_never_bent(type_: Any, value: Any) -> None:
    with pytest.raises(InputError, match="'tilt'"):
        encode_value(type_, value, "tilt")


@pytest.mark.parametrize("value", [-1, 2**32, 0.5, np.nan])
def test_rows_of_whole_numbers_do_not_wrap_around(value: Any) -> None:
    from heapscene.draw import encode_rows

    with pytest.raises(InputError, match="'tilt'"):
        encode_rows(U32, np.array([0, value]), "tilt")


@pytest.mark.parametrize("code", ["i8", "u8"])
def test_attributes_of_whole_numbers_do_not_wrap_around(code: str) -> None:
    weights = np.full(6, 2**40, code)
    with pytest.raises(GeometryError, match="32 bits"):
        hs.Geometry({"position": POINTS, "weight": weights})
