"""A reader that keeps what it was told, checks each step, and shows it as plain values."""

from dataclasses import dataclass, field

import numpy as np

from heapscene.adaptive import AVal
from heapscene.draw import PipelineState
from heapscene.shader import MAT4, VEC3, VEC4, Interface


@dataclass(frozen=True)
class PlainProgram:
    """An interface and nothing else."""

    hash: str = "plain"
    interface: Interface = field(
        default_factory=lambda: Interface(
            attributes={"position": VEC3},
            inputs={"model": MAT4, "color": VEC4, "view": MAT4, "proj": MAT4},
        )
    )


PROGRAM = PlainProgram()


class PlainMaterial:
    """A material that nobody can watch."""

    def __init__(self, color=(1, 1, 1), state=None, program=PROGRAM):
        self.program, self.inputs, self.state = program, {"color": color}, state or PipelineState()


def now(value):
    return value.force() if isinstance(value, AVal) else value


class DrawList:
    """Folds the steps of a reader into the list of live draws, in drawing order."""

    def __init__(self, source):
        self.reader = source.draw_reader()
        self.places = {}
        self.arrivals = 0

    def pull(self):
        """Apply the steps; return how many draws were added, removed and replaced."""
        counts = [0, 0, 0]
        for old, new in self.reader.changes():
            assert old is not None or new is not None
            assert old is not new
            if old is None:
                assert new not in self.places
                self.places[new] = self.arrivals
                self.arrivals += 1
                counts[0] += 1
            elif new is None:
                del self.places[old]
                counts[1] += 1
            else:
                assert new not in self.places
                self.places[new] = self.places.pop(old)
                counts[2] += 1
        return tuple(counts)

    @property
    def draws(self):
        return sorted(self.places, key=self.places.__getitem__)


def picture(draws):
    """Every draw's values, rounded, in drawing order."""
    return [
        (
            id(draw.program),
            id(now(draw.geometry)),
            now(draw.state),
            bool(now(draw.visible)),
            {name: _plain(now(value)) for name, value in draw.inputs.items()},
        )
        for draw in draws
    ]


def _plain(value):
    return value if isinstance(value, str) else np.round(np.asarray(value, float), 6).tolist()
