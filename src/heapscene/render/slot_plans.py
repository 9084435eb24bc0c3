"""How each slot of a bucket is drawn, and where its indices lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heapscene.errors import HeapFullError, explain
from heapscene.heap import Bucket, Slot
from heapscene.kernels import LARGEST_EMITTED, LARGEST_VERTEX, TILE, Encoding

__all__ = ["IndexWindows", "choose_encodings", "room_for"]


def choose_encodings(
    bucket: Bucket, wanted: str, budget: int, largest: int
) -> tuple[Encoding, ...]:
    """Return how to draw each slot: expanded while its indices fit, otherwise mega.

    A slot that changes in every frame stays expanded: to expand it anew takes 0.4 to 20 % of what
    mega costs more than expanded, on a GPU and on llvmpipe.

    Parameters
    ----------
    wanted
        ``"auto"``, ``"expanded"`` or ``"mega"``.
    budget
        Bytes that ``"auto"`` may spend on this bucket's index buffer.
    largest
        Bytes of the device's largest buffer; beyond it only mega can draw.

    Raises
    ------
    HeapFullError
        The bucket emits more indices than any encoding can number.
    """
    emitted, limit = bucket.emitted, bucket.limits.emitted
    if emitted > limit:
        raise HeapFullError(
            explain(
                f"a program's draws on one page emit {emitted:,} indices",
                facts={"limit": f"{limit:,}"},
                fix="Show fewer draws or instances, or use smaller pages, for example page_bytes=2**26.",
            )
        )
    if wanted == "mega" or bucket.vertices > min(LARGEST_VERTEX, limit):
        return ("mega",) * len(bucket.slots)
    left = min(budget, largest) if wanted == "auto" else largest
    chosen: list[Encoding] = []
    for slot in bucket.slots:
        nbytes = _whole_tiles(slot.emitted) * 4
        fits = nbytes <= left
        left -= nbytes if fits else 0
        chosen.append("expanded" if fits else "mega")
    return tuple(chosen)


class IndexWindows:
    """Ranges of a bucket's index buffer, one for each slot that is drawn expanded.

    A slot keeps its range while its indices fit; one that outgrew it gets another at the end, and
    all are laid out anew when half of the buffer belongs to none.
    """

    def __init__(self) -> None:
        self._windows: dict[Slot, tuple[int, int]] = {}
        self._end = 0

    @property
    def placed(self) -> Mapping[Slot, tuple[int, int]]:
        """First index and room of each slot, as of the last call of :meth:`place`."""
        return self._windows

    @property
    def nbytes(self) -> int:
        """Bytes from the first range to the end of the last, with what belongs to none."""
        return 4 * self._end

    def place(self, slots: Sequence[Slot], most: int) -> dict[Slot, tuple[int, int]]:
        """Return the first index and the room of each slot.

        Parameters
        ----------
        slots
            Those to be drawn expanded.
        most
            Indices that the buffer can hold; there is room for the slots without slack.
        """
        old, self._windows = self._windows, {}
        for slot in slots:
            start, room = old.get(slot, (0, 0))
            wanted = _whole_tiles(room_for(slot.emitted, room, LARGEST_EMITTED))
            if wanted != room or slot not in old:
                start, self._end = self._end, self._end + wanted
            self._windows[slot] = (start, wanted)
        held = sum(room for _, room in self._windows.values())
        if self._end > min(2 * held, most):
            self._lay_out(exact=held > most)
        return self._windows

    def _lay_out(self, *, exact: bool) -> None:
        self._end = 0
        for slot, (_, room) in self._windows.items():
            wanted = _whole_tiles(slot.emitted) if exact else room
            self._windows[slot] = (self._end, wanted)
            self._end += wanted


def room_for(count: int, room: int, most: int) -> int:
    """Return how many elements to plan for: ``room`` while it fits, so that hiding changes nothing.

    New room is the count rounded up to three binary digits; above ``most`` it is the count itself.

    Examples
    --------
    >>> room_for(1000, 0, 2**32), room_for(900, 1024, 2**32), room_for(100, 1024, 2**32)
    (1024, 1024, 112)
    """
    if room // 4 <= count <= room:
        return room
    step = 1 << max(4, count.bit_length() - 3)
    return max(count, min(-(-count // step) * step, most))


def _whole_tiles(count: int) -> int:
    return max(1, -(-count // TILE)) * TILE
