"""What a file holds and a picture does not show: counted, and said in one warning."""

from __future__ import annotations

import warnings
from collections import Counter

__all__ = ["LoadWarning", "Omitted"]


class LoadWarning(UserWarning):
    """A file was read, but the picture lacks something that the file holds."""


class Omitted:
    """Counts of what is left out of one file, by what it is called."""

    __slots__ = ("counts", "extensions")

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.extensions: list[str] = []

    def add(self, what: str, count: int = 1) -> None:
        """Count ``count`` more of ``what``, a plural noun."""
        if count:
            self.counts[what] += count

    def warn(self, name: str, *, objects: int) -> None:
        """Give at most one :class:`LoadWarning`: what is not drawn, and whether anything is."""
        said = [f"{count:,} {noun(what, count)}" for what, count in self.counts.items()]
        if self.extensions:
            said.append(f"{noun('extensions', len(self.extensions))} {', '.join(self.extensions)}")
        text: list[str] = []
        if objects == 0:
            text.append("holds no triangles, the scene is empty")
        if said:
            text.append(f"not drawn yet: {', '.join(said)}")
        if text:
            warnings.warn(f"{name}: {'; '.join(text)}", LoadWarning, stacklevel=4)


def noun(plural: str, count: int) -> str:
    """Return ``plural``, in the singular if there is one only."""
    if count != 1:
        return plural
    return plural.removesuffix("es" if plural.endswith("shes") else "s")
