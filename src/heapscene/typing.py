"""Names for the kinds of values that heapscene accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ArrayLike", "ColorLike", "MatrixLike", "UintArray", "Vec3Like"]

UintArray: TypeAlias = NDArray[np.uint32]
ArrayLike: TypeAlias = NDArray[Any] | Sequence[Any]
Vec3Like: TypeAlias = Sequence[float] | NDArray[Any]
MatrixLike: TypeAlias = NDArray[Any] | Sequence[Sequence[float]]
ColorLike: TypeAlias = str | Sequence[float] | NDArray[Any]
