"""Wrong calls of the public API are refused with an error of ours, and change nothing.

Random calls of every public name, with arguments of other types and shapes, in any order, on closed
objects, from other threads, in transactions and while values are computed. What a call may raise
besides errors of ours stands beside it, as its docstring says. After each call that is refused, the
scene has the same draws, the same numbers and the same picture. ``make fuzz-api SECONDS=600`` runs it
for as long as you like.
"""

from __future__ import annotations

import faulthandler
import os
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import heapscene as hs
from heapscene.errors import HeapsceneError
from reference.api_call import CALLS, Call, surface
from reference.api_makers import add_functions, add_makers, assignment
from reference.api_methods import add_frames, add_values, add_writes
from reference.api_world import World, photo

SECONDS = float(os.environ.get("HEAPSCENE_FUZZ_SECONDS", "0"))
CALLS_EACH = 70
for add_all in (add_makers, add_functions, add_values, add_writes, add_frames):
    add_all()
NAMES = Path(__file__).parents[1] / "public_names.txt"


class Fuzz:
    """Random calls on a world."""

    def __init__(self, seed: int, device: Any, folder: Path) -> None:
        self.world = World(seed, device, folder)
        self.counts: Counter[str] = Counter()
        # as often each, so that the many methods of collections do not crowd out the others
        self.kinds: dict[str, list[str]] = {}
        for name in CALLS:
            self.kinds.setdefault(name.split(".", maxsplit=1)[0], []).append(name)

    def choose(self) -> tuple[str, Any, Call]:
        """Return a call, its name and what it is done to."""
        world, rng = self.world, self.world.rng
        if rng.random() < 0.25:
            return assignment(world)
        if rng.random() < 0.1:
            name = rng.choice([name for name in CALLS if name.startswith("Renderer.")])
            call = rng.choice(CALLS[name])
            is_harmless = name in ("Renderer.render", "Renderer.order", "Renderer.validate")
            return (name, world.renderer, call) if is_harmless else ("", None, _nothing)
        name = rng.choice(self.kinds[rng.choice(list(self.kinds))])
        call = rng.choice(CALLS[name])
        if call.on and not world.pools[call.on]:
            return "", None, _nothing
        return name, rng.choice(world.pools[call.on]) if call.on else None, call

    def step(self) -> str | None:
        """Make one call; return a fault, if it is one."""
        world = self.world
        name, on, call = self.choose()
        before, state, world.is_odd = world.seen, photo(on), False
        how = "plain"
        if world.rng.random() < 0.15:
            how = world.rng.choice(["thread", "computed", "transact"])
        try:
            made = called(lambda: call.run(world, on), how)
        except (HeapsceneError, ZeroDivisionError, *call.raises) as error:
            if isinstance(error, ZeroDivisionError) and not is_of_these_tests(error):
                return f"{name} ({how}): another error\n{traceback.format_exc()}"
            self.counts[f"refused {type(error).__name__}"] += 1
            now = photo(on)
            world.seen = after = world.look()
            if now != state:
                return f"{name}: refused, and what it was called on has changed\n{traceback.format_exc()}"
            if after != before:
                what = [key for key in {**before, **after} if before.get(key) != after.get(key)]
                return f"{name}: refused, and {what} changed\n{traceback.format_exc()}"
        except BaseException:  # noqa: BLE001  whatever it is, it is shown
            return f"{name} ({how}): another error\n{traceback.format_exc()}"
        else:
            self.counts["accepted"] += 1
            if call.keeps and not world.is_odd:
                world.keep(call.keeps, made)
            world.seen = world.look()
        finally:
            if name == "adopt_thread":
                hs.adopt_thread()
        return None


def is_of_these_tests(error: Exception) -> bool:
    """Whether a function that was handed in has raised, wherever it was called."""
    return traceback.extract_tb(error.__traceback__)[-1].name == "fails"


_nothing = Call(lambda _world, _on: None)


def called(call: Callable[[], Any], how: str) -> Any:
    if how == "plain":
        return call()
    if how == "transact":
        with hs.transact():
            return call()
    found: list[Any] = []

    def work() -> None:
        try:
            found.extend((call(), None))
        except BaseException as error:  # noqa: BLE001  raised below
            found.extend((None, error))

    if how == "thread":
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        hs.computed(work).force()
    if found[1] is not None:
        raise found[1]
    return found[0]


def run(seed: int, device: Any, folder: Path, calls: int = CALLS_EACH) -> Counter[str]:
    """Make random calls; raise with the seed and the number of the call at a fault."""
    fuzz = Fuzz(seed, device, folder)
    world = fuzz.world
    try:
        for number in range(calls):
            fault = fuzz.step()
            assert fault is None, f"seed {seed}, call {number}: {fault}"
            if "raises" in world.seen:
                fuzz.counts["frames that raise"] += 1
                if not world.mend():
                    break
        if "raises" not in world.seen:
            report = world.renderer.validate()
            # rows that are not finite are kept, and told of
            checks = {found.check for found in report.faults}
            assert checks <= {"finite-data"}, f"seed {seed}: {report}"
    finally:
        world.close()
    return fuzz.counts


def test_every_public_name_is_called() -> None:
    names = [name for name in NAMES.read_text().split("\n") if name and name[0] not in "#_"]
    assert surface([name for name in names if name != "errors"]) == set(CALLS)


@pytest.mark.parametrize("seed", range(12))
def test_wrong_calls_change_nothing(seed: int, device: Any, tmp_path: Path) -> None:
    counts = run(seed, device, tmp_path)
    assert sum(count for what, count in counts.items() if what.startswith("refused")) > 5


@pytest.mark.skipif(SECONDS == 0, reason="type:  make fuzz-api SECONDS=600")
@pytest.mark.timeout(SECONDS + 120)
def test_for_a_while(device: Any, tmp_path: Path) -> None:
    faulthandler.enable()
    end = time.monotonic() + SECONDS
    seed = int(os.environ.get("HEAPSCENE_FUZZ_SEED", str(time.time_ns() % 2**32)))
    counts: Counter[str] = Counter()
    faults: dict[str, str] = {}
    while time.monotonic() < end:
        seed += 1
        counts["sequences"] += 1
        try:
            counts += run(seed, device, tmp_path)
        except Exception as error:  # noqa: BLE001  whatever it is, it is shown
            text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            faults.setdefault(text.splitlines()[-1], f"seed {seed}: {text}")
    print(dict(counts), f"{len(faults)} faults")
    assert not faults, "\n\n".join(faults.values())
