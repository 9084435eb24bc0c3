"""What holds for every test: hypothesis profiles, the ``gpu`` mark, the driver's folder.

It lies at the root, beside ``pyproject.toml``, because it configures the run; fixtures live in
``tests/conftest.py``.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_GPU_FIXTURES = {"device", "adapter"}
_GPU_FOLDERS = (
    "tests/gpu/",
    "tests/work/",
    "tests/leaks/",
    "tests/unit/gpu/",
    "tests/unit/render/",
)

# A shared machine may stall for a second, so no example has a deadline; what hangs is ended by
# pytest-timeout.
settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=50, print_blob=True, database=None
)
settings.register_profile("dev", deadline=None, max_examples=200)
settings.register_profile(
    "long",
    deadline=None,
    max_examples=5_000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_configure() -> None:
    """Give the Vulkan driver the runtime folder that it would complain about."""
    if "XDG_RUNTIME_DIR" not in os.environ:
        os.environ["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="heapscene-tests-")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as ``gpu`` what asks for a device or lies in a folder that does."""
    root = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(root).as_posix() if item.path.is_relative_to(root) else ""
        fixtures = set(getattr(item, "fixturenames", ()))
        if place.startswith(_GPU_FOLDERS) or fixtures & _GPU_FIXTURES:
            item.add_marker(pytest.mark.gpu)
