"""What is in a scene right now, and what its readers have not heard yet.

A scene keeps one :class:`Entry` per draw in order of arrival. Entries make their draws when a
reader pulls; a change only notes, per reader, which draw the reader knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from weakref import WeakSet

from heapscene.adaptive import Reading, Sink, collector_paused
from heapscene.draw import Drawable, DrawChange

__all__ = ["HIDDEN_OR_SHOWN", "STALE", "Entry", "Live", "Pulled", "SceneReader"]


class Maker(Protocol):
    """A node that makes a draw."""

    def _subject(self) -> object:
        """Return what the user calls it: itself, or the draw or table that was given in its place."""
        ...

    def _trace(self, reading: Reading) -> Reading:
        """Return what of this node, or of one above it, is read for a value of its draw."""
        ...

    def _make_draw(self, entry: Entry) -> Drawable: ...

    def _make_shown(self, entry: Entry, draw: Drawable) -> Drawable:
        """Make a draw that differs from `draw` in its visibility at most."""
        ...


class Pulled(Protocol):
    """Children that come from an adaptive value or set."""

    def _reading(self) -> Reading:
        """Return what is read when they are pulled."""
        ...

    def _pull(self) -> None: ...


FRESH, HIDDEN_OR_SHOWN, STALE, GONE = range(4)
"""How much of an entry's draw is out of date: nothing, its visibility, or anything; or it has left."""


class Entry:
    """The place of one draw in a scene; arriving again makes another entry."""

    __slots__ = ("__weakref__", "draw", "live", "maker", "material", "stale")

    def __init__(self, maker: Maker, live: Live) -> None:
        self.maker = maker
        self.live = live
        self.draw: Drawable | None = None
        self.stale = STALE
        self.material: Any = None

    def current(self) -> Drawable | None:
        """Return the draw, made now if something has replaced the last one."""
        if self.stale:
            if self.stale == GONE:
                return None
            try:
                if self.draw is None or self.stale == STALE:
                    self.draw = self.maker._make_draw(self)
                else:
                    self.draw = self.maker._make_shown(self, self.draw)
            except Exception as error:
                self.maker._trace(Reading("")).note_on(error)
                raise
            self.stale = FRESH
        return self.draw

    def material_changed(self, material: Any) -> None:
        """Make another draw at the next pull, if this one is of that material."""
        if self.material is material and self.stale != GONE:
            self.live.touch((self,))


class Live:
    """The entries of one scene in order of arrival, and who reads them."""

    __slots__ = ("__weakref__", "entries", "raw", "readers", "sink", "unsettled")

    def __init__(self) -> None:
        self.entries: dict[Entry, None] = {}
        self.readers: WeakSet[SceneReader] = WeakSet()
        self.sink: Sink[Entry | Pulled] = Sink()
        self.unsettled: dict[Pulled, None] = {}
        self.raw: dict[Drawable, Entry] = {}

    def arrive(self, entries: Sequence[Entry]) -> None:
        """Put entries at the end of the drawing order."""
        unknown = dict.fromkeys(entries)
        self.entries.update(unknown)
        for reader in self.readers:
            if reader.known is not None:
                reader.known.update(unknown)

    def touch(self, entries: Iterable[Entry], stale: int = STALE) -> None:
        """Have the draws of entries made again, or what is `stale` of them; they keep their places."""
        made = [entry for entry in entries if entry.draw is not None]
        self._note(made)
        for entry in made:
            entry.stale = max(entry.stale, stale)

    def depart(self, entries: Sequence[Entry]) -> None:
        """Take entries out."""
        self._note(entries)
        for entry in entries:
            entry.stale = GONE
            del self.entries[entry]
            if entry.draw is not None and self.raw.get(entry.draw) is entry:
                del self.raw[entry.draw]

    def update(self) -> None:
        """Bring in what adaptive children have become; costs nothing if there is no news."""
        if not (self.sink.pending or self.unsettled):
            return
        pulled = self.unsettled
        self.unsettled = {}
        for key in self.sink.drain():
            if isinstance(key, Entry):
                self.touch((key,))
            else:
                pulled[key] = None
        fault: Exception | None = None
        for children in pulled:
            try:
                children._pull()
            except Exception as error:  # noqa: BLE001  raised below, when the others are done
                self.unsettled[children] = None
                if fault is None:
                    fault = error
                    children._reading().note_on(error)
        if fault is not None:
            raise fault

    def _note(self, entries: Sequence[Entry]) -> None:
        for reader in self.readers:
            known = reader.known
            if known is not None:
                for entry in entries:
                    known.setdefault(entry, entry.draw)


class SceneReader:
    """Hands out what has changed in a scene since it was last asked."""

    __slots__ = ("__weakref__", "_live", "known")

    def __init__(self, live: Live) -> None:
        self._live = live
        # per entry with news: the draw that was handed out; None before the first call
        self.known: dict[Entry, Drawable | None] | None = None
        live.readers.add(self)

    def changes(self) -> Sequence[DrawChange]:
        """Return the steps from the last state to this one; everything at the first call.

        Removals come first, so that a draw that was moved is never in twice. If a step cannot be
        made, the error is raised and all steps are handed out by a later call.

        Raises
        ------
        HeapsceneError
            A draw cannot be made from what a node holds, or a node has got two parents.
        """
        self._live.update()
        if self.known is not None and not self.known:
            return ()
        with collector_paused():
            return self._steps()

    def trace(self, reading: Reading) -> Reading | None:
        """Return what was being read as the node has it that a draw comes from, if it comes from here."""
        for entry in self._live.entries:
            if entry.draw is not None and entry.draw is reading.of:
                return entry.maker._trace(reading)
        return None

    def subjects(self) -> dict[Drawable, object]:
        """Return what each draw stands for: a mesh, or the draw or table that somebody has added."""
        entries = self._live.entries
        return {entry.draw: entry.maker._subject() for entry in entries if entry.draw is not None}

    def _steps(self) -> Sequence[DrawChange]:
        live, known = self._live, self.known
        if known is None:
            steps = [DrawChange(None, entry.current()) for entry in live.entries]
        else:
            pairs = [(old, entry.current()) for entry, old in known.items()]
            steps = [DrawChange(old, new) for old, new in pairs if new is None and old is not None]
            steps += [
                DrawChange(old, new) for old, new in pairs if new is not None and old is not new
            ]
        self.known = {}
        return steps
