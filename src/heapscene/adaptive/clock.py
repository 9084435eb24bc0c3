"""Time as a value, which moves between frames."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from time import perf_counter
from typing import NamedTuple
from weakref import ref

from heapscene.adaptive.transaction import transact
from heapscene.adaptive.value import AVal, CVal
from heapscene.errors import InputError, explain

__all__ = ["Tick", "clock", "tick_clock"]


class Tick(NamedTuple):
    """What time it is: seconds since the clock was started, and the number of the frame."""

    seconds: float
    frame: int


class _Clock:
    __slots__ = ("cell", "now", "start")

    def __init__(self) -> None:
        self.cell: ref[CVal[Tick]] | None = None
        self.now = Tick(0.0, 0)
        self.start: float | None = None


_clock = _Clock()


def clock() -> AVal[Tick]:
    """Return the time of the current frame, the same for all that read it.

    It has ``seconds``, since somebody first asked for the clock, and ``frame``, a number. It moves
    on between frames, so that what reads it is drawn anew in each frame.

    Examples
    --------
    >>> angle = clock().map(lambda now: now.seconds * 0.5)
    >>> angle.value >= 0.0
    True
    """
    if _clock.start is None:
        _clock.start = perf_counter()
    cell = None if _clock.cell is None else _clock.cell()
    if cell is None:
        cell = CVal(_clock.now)
        _clock.cell = ref(cell)
    return cell


def tick_clock(seconds: float | None = None) -> None:
    """Move the clock on by one frame, in a transaction of its own; called after each frame.

    Parameters
    ----------
    seconds
        The new time, for tests and films; without it, the real one.

    Raises
    ------
    InputError
        It is no number.
    AdaptiveError
        If a value is being computed, or in another thread than the owner.
    """
    frame = _clock.now.frame + 1
    if seconds is None:
        seconds = 0.0 if _clock.start is None else perf_counter() - _clock.start
    elif not isinstance(seconds, Real) or not isfinite(seconds):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            explain(
                "the clock is moved to a finite number of seconds",
                facts={"given": f"{seconds!r:.60}"},
                fix="Write tick_clock(0.5), or tick_clock() for the real time.",
            )
        )
    now = Tick(float(seconds), frame)
    cell = None if _clock.cell is None else _clock.cell()
    if cell is not None:
        with transact():
            cell.value = now
    _clock.now = now
