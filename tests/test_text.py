"""No file speaks of one machine, of its package index, or of how the work was planned."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
BINARY = {".png", ".glb", ".bin", ".jpg", ".npy", ".npz"}
BANNED = {
    "a path of one machine": r"(?<![\w.])/(?:work|root|home)/\w",
    "a package index": r"(?:extra-)?index-url|trusted-host|\bpypi\.(?!org\b)\w+\.\w+",
    "an address of one network": r"\b(?:10|192\.168|172\.16)\.\d+\.\d+\b",
    "a step of a plan": r"\b(?:phase|milestone|sprint) \d",
    "unfinished merge": r"^(?:<{7}|>{7}) ",
}


def files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:  # an unpacked archive
        paths = [
            path
            for folder in ("src", "tests", "docs", "tools")
            for path in (ROOT / folder).rglob("*")
        ]
    return [
        path
        for path in paths
        if path.is_file() and path.suffix not in BINARY and path != Path(__file__)
    ]


def test_no_banned_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}: {line.strip()[:80]}"
        for path in files()
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        )
        for what, pattern in BANNED.items()
        if re.search(pattern, line, re.IGNORECASE)
    ]
    assert not found, "\n".join(found)
