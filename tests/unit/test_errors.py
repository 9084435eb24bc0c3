"""Every error is also the built-in class that one would expect, and has one shape."""

from __future__ import annotations

import inspect

from heapscene import errors
from heapscene.errors import HeapsceneError, explain

BUILT_IN = (ValueError, TypeError, RuntimeError, MemoryError, SyntaxError, NameError)


def test_every_class_has_the_common_base() -> None:
    classes = [item for _, item in inspect.getmembers(errors, inspect.isclass)]
    assert len(classes) > 10
    assert all(issubclass(item, HeapsceneError) for item in classes)
    own = {HeapsceneError, errors.ShaderError}
    assert all(issubclass(item, BUILT_IN) for item in set(classes) - own)


def test_every_name_is_exported() -> None:
    classes = {name for name, _ in inspect.getmembers(errors, inspect.isclass)}
    assert set(errors.__all__) == classes | {"explain"}


def test_shape_of_a_message() -> None:
    message = explain("cannot lift", facts={"weight": 12, "limit": "10 kg"}, fix="Take less.")
    assert message.splitlines() == [
        "cannot lift",
        "  weight  12",
        "  limit   10 kg",
        "Take less.",
    ]
    assert explain("cannot lift") == "cannot lift"
