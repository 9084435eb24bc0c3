"""Colour spaces: files speak linear light or sRGB, our materials take sRGB."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["linear_to_srgb"]


def linear_to_srgb(linear: NDArray[Any]) -> NDArray[np.float64]:
    """Return sRGB values in 0..1 of linear ones (IEC 61966-2-1); clipped, NaN becomes 0."""
    x = np.clip(np.nan_to_num(np.asarray(linear, np.float64)), 0.0, 1.0)
    curved = np.minimum(1.0, 1.055 * (np.power(x, 1 / 2.4) - 1.0) + 1.0)
    return np.where(x <= 0.0031308, 12.92 * x, curved)
