"""What is wrong, where, and what should be there instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHECKS", "Fault", "Faults", "Place"]

CHECKS = (
    "books",
    "overlap",
    "free-lists",
    "constants",
    "references",
    "headers",
    "sizes",
    "finite-data",
    "page-words",
    "records",
    "prefix-sums",
    "tile-bounds",
    "indirect-arguments",
    "expanded-indices",
    "frame-inputs",
    "search",
    "triangle-coherence",
)
"""Names of all checks, in the order in which they run."""

_LISTED = 100
"""Faults of each check that are kept; the others are counted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it should be.

    Attributes
    ----------
    check
        Who found it, one of :data:`CHECKS`.
    what
        What is wrong, such as ``"model base"`` or ``"count"``.
    buffer
        Where the word lies: ``"page"``, ``"headers"``, ``"records"``, ``"firsts"``, ``"tiles"``,
        ``"arguments"``, ``"indices"``, ``"frame"``; ``"books"`` if in no buffer, but on the CPU.
    page, bucket
        Number of the page, and of the bucket in drawing order; ``None`` where there is none.
    offset
        Byte in the buffer, or in the page's memory.
    draw, row
        Place in ``order()`` of the draw that it concerns, and the handle of a table's row.
    expected, found
        Values as they lie there; numbers, or texts.
    scene
        Which scene in the report of a renderer or a shared heap, counted from 0.
    subject
        What it concerns: a mesh, a draw that you made, or rows of a table (whose ``table`` is yours).
        ``None`` where there is none. Not compared, and neither in the text nor in :meth:`to_dict`.
    """

    check: str
    what: str
    buffer: str
    page: int | None = None
    bucket: int | None = None
    offset: int | None = None
    draw: int | None = None
    row: int | None = None
    expected: int | float | str | None = None
    found: int | float | str | None = None
    scene: int = 0
    subject: Any = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # without the subject: that is part of a scene
        return Fault, tuple(getattr(self, item.name) for item in fields(self)[:-1])

    def __copy__(self) -> Fault:
        return self

    def __deepcopy__(self, memo: object) -> Fault:
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return all fields but ``subject`` as JSON-ready values."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "subject"}
        for name in ("expected", "found"):
            value = values[name]
            if isinstance(value, float) and not np.isfinite(value):
                values[name] = str(value)  # JSON has no word for it
        return values

    def __str__(self) -> str:
        places = [
            f"{name} {value}"
            for name in ("scene", "page", "bucket", "draw", "row")
            if (value := getattr(self, name)) is not None and (name != "scene" or value)
        ]
        at = "" if self.offset is None else f" at byte {self.offset:,} of its {self.buffer}"
        where = ", ".join(places)
        return f"{self.check}: {self.what} of {where}{at}: {self.found}, not {self.expected}"


class Place(NamedTuple):
    """A buffer in which faults are found."""

    buffer: str
    page: int | None = None
    bucket: int | None = None


class Faults:
    """Faults as they are found.

    Attributes
    ----------
    listed
        The first hundred of each check, in the order in which they were found.
    counts
        How many each check found, listed or not.
    checked
        How many things each check looked at.
    """

    def __init__(self) -> None:
        self.listed: list[Fault] = []
        self.counts: dict[str, int] = {}
        self.checked: dict[str, int] = {}

    @property
    def total(self) -> int:
        """How many faults there are."""
        return sum(self.counts.values())

    def looked(self, check: str, count: int) -> None:
        """Count what a check has looked at."""
        self.checked[check] = self.checked.get(check, 0) + int(count)

    def add(self, fault: Fault) -> None:
        """Add one fault."""
        if self.room(fault.check) > 0:
            self.listed.append(fault)
        self._count(fault.check, 1)

    def add_words(
        self,
        check: str,
        place: Place,
        words: NDArray[np.int64],
        names: Sequence[str],
        values: tuple[NDArray[Any], NDArray[Any]],
        owners: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> None:
        """Add wrong words of a buffer.

        Parameters
        ----------
        words
            ``(n,)``: their numbers in the buffer.
        names
            Names for the listed ones; the last one holds for all that follow.
        values
            Expected and found, ``(n,)`` each.
        owners
            Place in ``order()`` and row of each; negative for none.
        """
        for k in range(min(len(words), self.room(check))):
            self.listed.append(
                Fault(
                    check,
                    names[min(k, len(names) - 1)],
                    *place,
                    offset=int(words[k]) * 4,
                    draw=_known(owners[0][k]),
                    row=_known(owners[1][k]),
                    expected=values[0][k].item(),
                    found=values[1][k].item(),
                )
            )
        self._count(check, len(words))

    def room(self, check: str) -> int:
        """Return how many more faults of a check will be listed."""
        return max(0, _LISTED - self.counts.get(check, 0))

    def _count(self, check: str, count: int) -> None:
        if count:
            self.counts[check] = self.counts.get(check, 0) + count


def _known(number: Any) -> int | None:
    return int(number) if number >= 0 else None
