"""What was being read when an exception came: found out then, so that reading costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from heapscene.adaptive.node import FAILED, Derived, Node
from heapscene.errors import explain
from heapscene.wording import brief

__all__ = ["Reading", "refuses"]

_TITLE = "This was being read:"
_OURS = f", {Path(__file__).parents[1]}"
_SHOWN = 3
_MOST = 100


class Reading(NamedTuple):
    """Something that was being read, as its user would call it.

    Attributes
    ----------
    name
        What the value is given as, such as ``"input 'color'"``; empty if that is not known.
    of
        What it is given to: a draw, a node, a table; or a text that says so.
    value
        The adaptive value, if it is one.
    others
        How many others take the same value.
    """

    name: str
    of: object = None
    value: object = None
    others: int = 0

    def note_on(self, error: BaseException) -> None:
        """Say it in a note of an exception, in place of an earlier one."""
        facts: dict[str, object] = {}
        if self.name:
            facts["what"] = self.name
        if self.of is not None:
            more = f", and {self.others:,} others" if self.others else ""
            of = self.of if isinstance(self.of, str) else brief(self.of, _MOST)
            facts["of"] = f"{of}{more}"
        if isinstance(self.value, Node):
            facts["value"] = "\n         ".join(_written(self.value))
        if facts:
            notes: list[str] = getattr(error, "__notes__", [])
            notes[:] = [note for note in notes if not note.startswith(_TITLE)]
            error.add_note(explain(_TITLE, facts=facts))


def refuses(value: object, check: Callable[[Any], object]) -> bool:
    """Whether a value cannot be computed now, or does not pass a check, which raises then.

    What has failed is not computed again.
    """
    if isinstance(value, Derived) and value._state == FAILED:
        return True
    try:
        check(value.force() if hasattr(value, "force") else value)  # pyright: ignore[reportAttributeAccessIssue]
    except Exception:  # noqa: BLE001  whatever it is, it has been raised to the user already
        return True
    return False


def _written(value: Node) -> list[str]:
    """Return the names of cells, or where functions were written: what a value is made of.

    Of functions that have failed it is the innermost; those of heapscene are passed over.
    """
    found: dict[str, None] = {}
    seen: set[int] = set()
    stack: list[Node] = [value]
    while stack and len(found) < _SHOWN:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        reads = list(node._reads()) if isinstance(node, Derived) else []
        failed = [read for read in reads if isinstance(read, Derived) and read._state == FAILED]
        if failed:
            stack += failed[::-1]
        elif not isinstance(node, Derived):
            found[brief(node, _MOST)] = None
        elif reads and _OURS in node._place():
            stack += reads[::-1]
        else:
            found[node._place()] = None
    return list(found)
