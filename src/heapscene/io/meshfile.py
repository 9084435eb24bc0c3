"""Every other mesh format, through trimesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import LoadError
from heapscene.io.fault import load_error
from heapscene.io.model import LoadedMaterial, LoadedNode, LoadedPart
from heapscene.io.normals import same_places, shade
from heapscene.io.omitted import Omitted

__all__ = ["read_meshfile"]

_WHITE = LoadedMaterial(color=(1.0, 1.0, 1.0, 1.0))
_PLAIN = LoadedMaterial()


def read_meshfile(path: Path, omitted: Omitted) -> LoadedNode:
    """Read OBJ, STL, PLY, OFF or whatever else trimesh can; objects of an OBJ stay separate.

    Raises
    ------
    LoadError
        trimesh does not know the format, or fails; its error is the cause.
    """
    import trimesh

    suffix = path.suffix.lower().removeprefix(".")
    known = sorted({*trimesh.available_formats(), "gltf", "glb"})
    if suffix not in known:
        raise load_error(
            f"{path.name}: files ending in {path.suffix!r} cannot be read",
            facts={"known": " ".join(known)},
            fix="Convert it, for example to .glb.",
        )
    options: dict[str, Any] = {"split_objects": True} if suffix == "obj" else {}
    try:
        with np.errstate(all="ignore"):  # NaN in a file is not news
            scene = trimesh.load_scene(str(path), process=False, **options)
        return from_trimesh(scene, path.name, omitted)
    except LoadError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or "no reason given"
        raise load_error(
            f"{path.name} cannot be read as {suffix.upper()}: {type(error).__name__}: {reason}"
        ) from error


def from_trimesh(scene: Any, name: str, omitted: Omitted) -> LoadedNode:
    """Turn a ``trimesh.Scene`` into a tree of plain data, keeping its hierarchy."""
    parts: dict[str, tuple[LoadedPart, ...]] = {}
    materials: dict[int, LoadedMaterial] = {}
    for key, geometry in scene.geometry.items():
        if hasattr(geometry, "faces"):
            parts[key] = part_of(geometry, materials, omitted)
        else:
            what = "point sets" if type(geometry).__name__ == "PointCloud" else "line sets"
            omitted.add(what)
    graph = scene.graph
    base = graph.base_frame
    below: dict[str, list[str]] = graph.transforms.children
    order = [base]
    for node in order:
        order += below.get(node, [])
    built: dict[str, LoadedNode] = {}
    for node in reversed(order):
        edge = (
            {} if node == base else graph.transforms.edge_data[graph.transforms.parents[node], node]
        )
        built[node] = LoadedNode(
            name=name if node == base else str(node),
            transform=np.array(edge.get("matrix", np.eye(4)), np.float64),
            children=tuple(built[child] for child in below.get(node, [])),
            parts=parts.get(edge.get("geometry", ""), ()),
        )
    return built[base]


def part_of(
    mesh: Any, materials: dict[int, LoadedMaterial], omitted: Omitted
) -> tuple[LoadedPart, ...]:
    """Return the one part of a ``trimesh.Trimesh``, or none if it has no faces."""
    corners = np.asarray(mesh.faces, np.int64).reshape(-1)
    if len(corners) == 0:
        return ()
    if int(corners.max()) >= len(mesh.vertices) or int(corners.min()) < 0:
        raise ValueError(f"a face names a vertex that is not among the {len(mesh.vertices):,}")
    attributes: dict[str, NDArray[Any]] = {"position": as_float32(mesh.vertices)}
    visual = mesh.visual
    material = _PLAIN
    # trimesh keeps normals that a file gives in its cache, and would compute missing ones on demand
    if "vertex_normals" in mesh._cache:
        attributes["normal"] = as_float32(mesh.vertex_normals)
    if visual.kind == "texture":
        if getattr(visual, "uv", None) is not None:
            attributes["uv"] = as_float32(visual.uv)
        if not is_placeholder(visual.material):
            material = materials.setdefault(id(visual.material), material_of(visual.material))
            omitted.add("textured meshes", int(picture_of(visual.material) is not None))
    elif visual.kind == "vertex":
        material = _WHITE
        attributes["color"] = opaque(visual.vertex_colors, omitted)
    elif visual.kind == "face":
        material = _WHITE
        attributes = {name: array[corners] for name, array in attributes.items()}
        attributes["color"] = np.repeat(opaque(visual.face_colors, omitted), 3, axis=0)
        corners = np.arange(len(corners))
    if "normal" not in attributes:
        attributes, corners = with_normals(attributes, corners)
    return (LoadedPart(attributes, corners.astype(np.uint32), material),)


def with_normals(
    attributes: dict[str, NDArray[Any]], corners: NDArray[Any]
) -> tuple[dict[str, NDArray[Any]], NDArray[Any]]:
    """Return attributes with normals, and corners over them."""
    if len(attributes) == 1:  # nothing tells vertices at one place apart, and STL repeats them
        place = same_places(attributes["position"])
        _, first = np.unique(place, return_index=True)
        attributes, corners = {"position": attributes["position"][first]}, place[corners]
    source, normal, corners = shade(attributes["position"], corners)
    split = {name: array[source] for name, array in attributes.items()}
    return {**split, "normal": normal}, corners


def opaque(colors: Any, omitted: Omitted) -> NDArray[np.float32]:
    """Return sRGB ``(n, 4)`` in 0..1 of bytes, without their transparency."""
    result = as_float32(colors) / np.float32(255)
    omitted.add("transparent meshes", int((result[:, 3] < 1).any()))
    result[:, 3] = 1.0
    return result


def as_float32(values: Any) -> NDArray[np.float32]:
    """Return numbers as float32; what is too large becomes infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float32)


def material_of(material: Any) -> LoadedMaterial:
    """Return a trimesh material's main colour, which is sRGB bytes."""
    r, g, b = (np.asarray(material.main_color, np.float64)[:3] / 255).tolist()
    return LoadedMaterial(name=str(getattr(material, "name", "") or ""), color=(r, g, b, 1.0))


def picture_of(material: Any) -> Any:
    """Return the picture that a trimesh material shows, or ``None``."""
    return getattr(material, "image", getattr(material, "baseColorTexture", None))


def is_placeholder(material: Any) -> bool:
    """Return whether trimesh made this material up, for texture coordinates without a material."""
    picture = picture_of(material)
    return picture is not None and picture.size == (2, 2) and "file_path" not in picture.info
