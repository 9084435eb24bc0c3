"""load: any file to a scene."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from heapscene.errors import GeometryError, HeapsceneError, InputError
from heapscene.io.fault import load_error
from heapscene.io.gltf import read_gltf
from heapscene.io.meshfile import read_meshfile
from heapscene.io.model import LoadedNode
from heapscene.io.omitted import Omitted

if TYPE_CHECKING:
    from heapscene.scene import Scene

__all__ = ["load", "read_model"]

# what following a header that is not as the specification says runs into
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError)


def load(path: str | os.PathLike[str]) -> Scene:
    """Read a file as a scene: its hierarchy, places, shapes and base colours.

    glTF keeps every node as a group with its name; objects of an OBJ stay separate. A mesh that the
    file uses in several places is one geometry. Missing normals are made: flat for glTF, as its
    specification says; otherwise smooth except at edges sharper than 40°. Colours become sRGB.

    Parameters
    ----------
    path
        ``.glb``, ``.gltf``, ``.obj``, ``.stl``, ``.ply``, ``.off`` or another format of trimesh's.

    Warns
    -----
    LoadWarning
        Once per file, if it holds what is not drawn (textures, skins, animations, points, lines,
        ...), or nothing that is drawn.

    Raises
    ------
    LoadError
        The file is missing, broken, of an unknown format, or requires an unknown glTF extension.
    """
    from heapscene.io.build import build_scene

    model = read_model(path)
    try:
        return build_scene(model)
    except (GeometryError, InputError) as error:
        raise load_error(f"{Path(path).name} is not valid: {error}") from error
    except RecursionError as error:
        raise load_error(f"{Path(path).name} nests its nodes too deep") from error


def read_model(path: str | os.PathLike[str]) -> LoadedNode:
    """Read a file as plain data; as :func:`load`, without making scene nodes."""
    if not isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise load_error(f"a {type(path).__name__} is not a path", fix="Write load('model.glb')")
    source = Path(path)
    if source.is_dir():
        raise load_error(f"{str(source)!r} is a folder", fix="Name a file in it.")
    if not source.exists():
        raise load_error(f"no such file: {str(source)!r}")
    omitted = Omitted()
    read = read_gltf if source.suffix.lower() in (".gltf", ".glb") else read_meshfile
    try:
        model = read(source, omitted)
    except HeapsceneError:
        raise
    except OSError as error:
        raise load_error(f"{str(source)!r} cannot be read: {error.strerror or error}") from error
    except _MALFORMED as error:
        raise load_error(
            f"{source.name} is not valid: {type(error).__name__}: {error}",
            fix="Check it with the Khronos glTF validator, or export it again.",
        ) from error
    check_places(model, source.name)
    omitted.warn(source.name, objects=model.object_count)
    return model


def check_places(model: LoadedNode, name: str) -> None:
    """Raise a ``LoadError`` if a node cannot be where the file says that it is."""
    with np.errstate(all="ignore"):  # what overflows on the way to the root is no news
        nodes = [node for node, _ in model.walk()]
    for node in nodes:
        places = np.concatenate([node.transform[None], node.places()])
        good = np.isfinite(places).all(axis=(1, 2)) & (places[:, 3] == (0, 0, 0, 1)).all(axis=1)
        if not good.all():
            raise load_error(
                f"{name}: the place of node {node.name!r} is not a finite affine matrix",
                facts={"matrix": places[int(good.argmin())].tolist()},
                fix="Export the file again.",
            )
