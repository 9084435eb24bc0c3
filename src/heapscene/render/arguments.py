"""What the objects of this folder refuse when they are made."""

from __future__ import annotations

from typing import Any

from heapscene.errors import InputError, explain

__all__ = ["check_count", "check_device", "check_kind"]


def check_device(value: Any) -> None:
    """Raise an :class:`InputError` unless `value` is a device."""
    if hasattr(value, "limits") and hasattr(value, "create_buffer"):
        return
    raise InputError(
        explain(
            f"a {type(value).__name__} is not a device",
            fix="Pass a wgpu.GPUDevice, as adapter.request_device_sync() returns it.",
        )
    )


def check_kind(name: str, value: Any, kind: type, example: str) -> None:
    """Raise an :class:`InputError` unless an argument is of a class."""
    if not isinstance(value, kind):
        raise InputError(
            explain(
                f"{name} has to be a {kind.__name__}",
                facts={"given": f"{type(value).__name__}: {value!r:.60}"},
                fix=f"Write {name}={example}.",
            )
        )


def check_count(name: str, value: Any, most: int | None = None) -> None:
    """Raise an :class:`InputError` unless a number of bytes is whole, not negative and at most `most`."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or value < 0 or (most is not None and value > most):
        raise InputError(
            explain(
                f"{name} has to be a whole number of bytes",
                facts={
                    "given": repr(value),
                    "allowed": "0 or more" if most is None else f"at most {most:,} on this device",
                },
                fix=f"Write {name}={most or 2**26}, or leave it out.",
            )
        )
