"""Every other mesh format, through trimesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.errors import LoadError
from heapscene.io.fault import load_error
from heapscene.io.model import LoadedMaterial, LoadedNode, LoadedPart
from heapscene.io.normals import shade
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
    faces = np.asarray(mesh.faces, np.int64)
    if len(faces) == 0:
        return ()
    position = np.asarray(mesh.vertices, np.float64)
    attributes: dict[str, NDArray[Any]] = {"position": position.astype(np.float32)}
    corners = faces.reshape(-1)
    visual = mesh.visual
    material = _PLAIN
    if visual.kind in ("vertex", "face"):
        material = _WHITE
    elif visual.kind == "texture":
        if getattr(visual, "uv", None) is not None:
            attributes["uv"] = np.asarray(visual.uv, np.float32)
        if not is_placeholder(visual.material):
            material = materials.setdefault(id(visual.material), material_of(visual.material))
            omitted.add("textured meshes", int(picture_of(visual.material) is not None))
    if visual.kind == "vertex":
        attributes["color"] = np.asarray(visual.vertex_colors, np.float32) / 255
    # trimesh keeps normals that a file gives in its cache, and would compute missing ones on demand
    if "vertex_normals" in mesh._cache:
        attributes["normal"] = np.asarray(mesh.vertex_normals, np.float32)
        source = corners
    else:
        source = None
    if visual.kind == "face":
        colors = np.repeat(np.asarray(visual.face_colors, np.float32) / 255, 3, axis=0)
        attributes = {name: array[corners] for name, array in attributes.items()}
        attributes["color"] = colors
        corners = np.arange(len(corners))
    if source is None:
        source, normal, corners = shade(attributes["position"], corners)
        attributes = {name: array[source] for name, array in attributes.items()}
        attributes["normal"] = normal
    return (LoadedPart(attributes, corners.astype(np.uint32), material),)


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
