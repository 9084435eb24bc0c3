"""ValidationReport: whether what lies on the GPU is what should lie there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from heapscene.heap import Fault, Faults
from heapscene.wording import counted, one_line

__all__ = ["ValidationReport"]


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """What ``validate()`` found.

    Attributes
    ----------
    faults
        The first hundred of each check.
    counts
        Faults by check, those that are not listed included; without those that found none.
    checked
        Words, records, indices ... that each check looked at.
    skipped
        What could not be checked, and why.
    frame
        The update that this is about, counted from 1: what was changed since is not in it. 0 if
        there was none.
    """

    faults: tuple[Fault, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    checked: dict[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    frame: int = 0

    @property
    def ok(self) -> bool:
        """Whether no check has found a fault."""
        return not self.counts

    def to_dict(self) -> dict[str, Any]:
        """Return all fields and ``ok`` as JSON-ready values."""
        return {
            "ok": self.ok,
            "faults": [fault.to_dict() for fault in self.faults],
            "counts": dict(self.counts),
            "checked": dict(self.checked),
            "skipped": list(self.skipped),
            "frame": self.frame,
        }

    def __repr__(self) -> str:
        total = sum(self.counts.values())
        found = f"{counted(total, 'fault')} in {', '.join(self.counts)}" if total else "no faults"
        return one_line(f"ValidationReport(frame {self.frame}: {found})")

    def __str__(self) -> str:
        """Return one line for each fault that is listed, below a line that sums up."""
        total = sum(self.counts.values())
        found = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        head = f"frame {self.frame}: {total:,} faults ({found})" if total else "no faults"
        return "\n".join([head, *map(str, self.faults), *(f"skipped: {x}" for x in self.skipped)])


def make_report(
    faults: Faults, skipped: list[str], frame: int, order: Callable[[], Sequence[Any]]
) -> ValidationReport:
    """Return the report of one scene, whose draws `order` returns in drawing order."""
    listed = faults.listed
    if any(fault.draw is not None for fault in listed):
        draws = order()
        listed = [
            fault if fault.draw is None else replace(fault, subject=draws[fault.draw])
            for fault in listed
        ]
    return ValidationReport(
        tuple(listed), dict(faults.counts), dict(faults.checked), tuple(skipped), frame
    )


def join_reports(reports: list[ValidationReport]) -> ValidationReport:
    """Return one report for several scenes; the frame is that of the last one."""
    counts: dict[str, int] = {}
    checked: dict[str, int] = {}
    for report in reports:
        for total, part in ((counts, report.counts), (checked, report.checked)):
            for name, count in part.items():
                total[name] = total.get(name, 0) + count
    return ValidationReport(
        tuple(
            replace(fault, scene=number)
            for number, report in enumerate(reports)
            for fault in report.faults
        ),
        counts,
        checked,
        tuple(f"scene {k}: {text}" for k, report in enumerate(reports) for text in report.skipped),
        reports[-1].frame if reports else 0,
    )
