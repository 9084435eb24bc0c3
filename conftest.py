"""What holds for every test: hypothesis profiles, the ``gpu`` mark, the driver's folder.

With ``HEAPSCENE_WGSL=folder`` every WGSL text that the tests emit is written there, so that
``tools/accept_wgsl.py`` can give them all to two compilers; a test whose text is meant to be refused
has the mark ``refused_wgsl``.

It lies at the root, beside ``pyproject.toml``, because it configures the run; fixtures live in
``tests/conftest.py``.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any

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
    if "HEAPSCENE_WGSL" in os.environ:
        _record_wgsl(Path(os.environ["HEAPSCENE_WGSL"]).resolve())


_recording = {"on": True}


def _record_wgsl(folder: Path) -> None:
    """Write what the emitter returns to files named by content."""
    folder.mkdir(parents=True, exist_ok=True)
    emitter: Any = importlib.import_module("heapscene.shader.wgsl.emit")._Emitter
    plain = emitter.text

    def text(self: Any) -> str:
        made = plain(self)
        if _recording["on"]:
            name = blake2b(made.encode(), digest_size=12).hexdigest()
            (folder / f"{name}.wgsl").write_text(made, encoding="utf-8")
        return made

    emitter.text = text


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Record no text that is wrong on purpose."""
    _recording["on"] = item.get_closest_marker("refused_wgsl") is None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as ``gpu`` what asks for a device or lies in a folder that does."""
    root = Path(__file__).parent
    for item in items:
        place = item.path.relative_to(root).as_posix() if item.path.is_relative_to(root) else ""
        fixtures = set(getattr(item, "fixturenames", ()))
        if place.startswith(_GPU_FOLDERS) or fixtures & _GPU_FIXTURES:
            item.add_marker(pytest.mark.gpu)
