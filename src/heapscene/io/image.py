"""Pictures to files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscene.draw import as_array
from heapscene.errors import InputError, explain

__all__ = ["check_image_path", "save_image"]

_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
_OPAQUE = (".jpg", ".jpeg", ".bmp")


def save_image(path: str | Path, array: NDArray[np.uint8]) -> None:
    """Write a picture to a file; the suffix decides the format.

    Parameters
    ----------
    path
        Ends in ``.png`` (lossless, the usual choice), ``.jpg``, ``.webp``, ``.bmp`` or ``.tif``.
    array
        uint8, ``(height, width, 3)`` or ``(height, width, 4)``, sRGB with straight alpha, first row
        on top. Formats without alpha drop it.

    Raises
    ------
    InputError
        The array is not such a picture, or not one that the format can hold; the suffix is unknown,
        or the folder does not exist.
    OSError
        The file cannot be written.
    """
    from PIL import Image

    target = check_image_path(path)
    picture = as_array(array)
    good_shape = picture.ndim == 3 and picture.shape[2] in (3, 4) and 0 not in picture.shape
    if picture.dtype != np.uint8 or not good_shape:
        raise InputError(
            explain(
                "a picture is a uint8 array (height, width, 3) or (height, width, 4)",
                facts={"dtype": picture.dtype, "shape": picture.shape},
                fix="Pass what hs.render returns.",
            )
        )
    if target.suffix.lower() in _OPAQUE:
        picture = picture[:, :, :3]
    try:
        Image.fromarray(np.ascontiguousarray(picture)).save(target)
    except ValueError as cause:  # what a format refuses, such as a side that is too long for it
        raise InputError(
            explain(
                f"this picture cannot be written as {target.suffix}",
                facts={"shape": picture.shape, "cause": cause},
                fix=f"Write {target.stem}.png.",
            )
        ) from cause


def check_image_path(path: str | Path) -> Path:
    """Return ``path`` if a picture could be written there.

    Raises
    ------
    InputError
        It is no path, the suffix is unknown, the folder does not exist, or ``path`` is a folder.
    """
    if not isinstance(path, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            explain(
                f"a {type(path).__name__} is not a path",
                fix='Write save_image("picture.png", image).',
            )
        )
    target = Path(path)
    if target.suffix.lower() not in _SUFFIXES:
        raise InputError(
            explain(
                f"{target.name!r} does not say which image format it is",
                facts={"known": " ".join(_SUFFIXES)},
                fix=f"Write {target.stem or 'picture'}.png.",
            )
        )
    if not target.parent.is_dir():
        raise InputError(
            explain(
                f"the folder {str(target.parent)!r} does not exist",
                fix=f"Make it first: mkdir -p {target.parent}",
            )
        )
    if target.is_dir():
        raise InputError(explain(f"{str(target)!r} is a folder", fix="Name a file in it."))
    return target
