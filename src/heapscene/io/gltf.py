"""glTF 2 to a tree of plain data.

trimesh reads glTF too, but rounds colours to bytes, merges camera nodes away, fails on line
primitives with colours, and knows no instancing; the header has to be read for these anyway, and
after that the arrays are a few lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.io.accessor import read_floats
from heapscene.io.container import Container, open_container
from heapscene.io.fault import load_error
from heapscene.io.gltf_mesh import MeshReader
from heapscene.io.model import LoadedNode
from heapscene.io.omitted import Omitted

__all__ = ["read_gltf"]

_INSTANCING = "EXT_mesh_gpu_instancing"
KNOWN_EXTENSIONS = (
    _INSTANCING,
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
)
"""Extensions that a file may require; the last only moves textures, which are not drawn."""


def read_gltf(path: Path, omitted: Omitted) -> LoadedNode:
    """Read a ``.gltf`` or ``.glb`` file.

    Raises
    ------
    LoadError
        The file is broken, or requires an extension that is not known.
    """
    container = open_container(path)
    check_extensions(container, omitted)
    count_omitted(container.header, omitted)
    order, children = walk_nodes(container)
    nodes: list[dict[str, Any]] = container.header.get("nodes", [])
    meshes = MeshReader(container, omitted)
    parts = {index: meshes.parts(nodes[index]["mesh"]) for index in order if "mesh" in nodes[index]}
    built: dict[int, LoadedNode] = {}
    for index in reversed(order):
        node = nodes[index]
        extension = node.get("extensions", {}).get(_INSTANCING)
        built[index] = LoadedNode(
            name=_name_of(node, container.header),
            transform=node_transform(node),
            children=tuple(built[child] for child in children[index]),
            parts=parts.get(index, ()),
            instances=None if extension is None else read_instances(container, extension),
        )
    return LoadedNode(path.name, children=tuple(built[root] for root in children[-1]))


def _name_of(node: dict[str, Any], header: dict[str, Any]) -> str:
    """Return a node's name, or else that of its mesh: exporters give the one or the other."""
    mesh = header["meshes"][node["mesh"]] if "mesh" in node else {}
    return str(node.get("name") or mesh.get("name") or "")


def check_extensions(container: Container, omitted: Omitted) -> None:
    """Refuse unknown extensions that are required; count the others that are used."""
    unknown = [
        e for e in container.header.get("extensionsRequired", []) if e not in KNOWN_EXTENSIONS
    ]
    if unknown:
        raise load_error(
            f"{container.path.name} requires {', '.join(unknown)}, which cannot be read",
            facts={"known": ", ".join(KNOWN_EXTENSIONS)},
            fix="Export it without, for example uncompressed.",
        )
    used = container.header.get("extensionsUsed", [])
    omitted.extensions += [e for e in used if e not in KNOWN_EXTENSIONS]


def count_omitted(header: dict[str, Any], omitted: Omitted) -> None:
    """Count what the header names and no reader looks at."""
    for what in ("textures", "skins", "animations"):
        omitted.add(what, len(header.get(what, [])))
    primitives = [p for mesh in header.get("meshes", []) for p in mesh["primitives"]]
    omitted.add("morph targets", sum(len(p.get("targets", [])) for p in primitives))


def walk_nodes(container: Container) -> tuple[list[int], dict[int, list[int]]]:
    """Return the nodes of the file's scene, parents first, and children by node; roots under −1.

    Raises
    ------
    LoadError
        A node is reached twice: glTF wants a tree.
    """
    header = container.header
    nodes: list[dict[str, Any]] = header.get("nodes", [])
    children = {index: list(node.get("children", [])) for index, node in enumerate(nodes)}
    if header.get("scenes"):
        children[-1] = list(header["scenes"][header.get("scene", 0)].get("nodes", []))
    else:
        below = {child for some in children.values() for child in some}
        children[-1] = [index for index in range(len(nodes)) if index not in below]
    order: list[int] = []
    seen: set[int] = set()
    waiting = children[-1][::-1]
    while waiting:
        index = waiting.pop()
        if index in seen:
            raise load_error(
                f"{container.path.name}: node {index} is reached twice",
                fix="Nodes of glTF form a tree; export the file again.",
            )
        seen.add(index)
        order.append(index)
        waiting += children[index][::-1]
    return order, children


def node_transform(node: dict[str, Any]) -> NDArray[np.float64]:
    """Return a node's ``(4, 4)`` matrix: the one it gives, or translation · rotation · scale."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T.copy()
    return compose(
        np.array([node.get("translation", (0, 0, 0))], np.float64),
        np.array([node.get("rotation", (0, 0, 0, 1))], np.float64),
        np.array([node.get("scale", (1, 1, 1))], np.float64),
    )[0]


def read_instances(container: Container, extension: dict[str, Any]) -> NDArray[np.float64]:
    """Return the places of EXT_mesh_gpu_instancing, ``(k, 4, 4)``."""
    given = extension["attributes"]
    arrays = {
        name: read_floats(container, given[name]).astype(np.float64)
        for name in ("TRANSLATION", "ROTATION", "SCALE")
        if name in given
    }
    counts = {len(array) for array in arrays.values()}
    if len(counts) != 1:
        raise load_error(
            f"{container.path.name}: {_INSTANCING} needs arrays of one length",
            facts={name: f"{len(array):,} rows" for name, array in arrays.items()},
        )
    count = counts.pop()
    return compose(
        arrays.get("TRANSLATION", np.zeros((count, 3))),
        arrays.get("ROTATION", np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))),
        arrays.get("SCALE", np.ones((count, 3))),
    )


def compose(
    translation: NDArray[np.float64], rotation: NDArray[np.float64], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``(k, 4, 4)`` of translations, quaternions (x, y, z, w; any length) and scales."""
    length = np.linalg.norm(rotation, axis=1, keepdims=True)
    unit = np.divide(rotation, length, out=np.zeros_like(rotation), where=length > 0)
    unit[length[:, 0] == 0] = (0.0, 0.0, 0.0, 1.0)
    x, y, z, w = unit.T
    result = np.zeros((len(unit), 4, 4))
    result[:, 0, :3] = np.stack(
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], 1
    )
    result[:, 1, :3] = np.stack(
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], 1
    )
    result[:, 2, :3] = np.stack(
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1
    )
    with np.errstate(invalid="ignore"):  # whoever reads the places refuses what is not finite
        result[:, :3, :3] *= scale[:, None, :]
    result[:, :3, 3] = translation
    result[:, 3, 3] = 1.0
    return result
