"""Give WGSL texts to both compilers that users will meet: naga (wgpu) and Tint (Chromium).

    python tools/accept_wgsl.py FOLDER       every *.wgsl in the folder, by both
    python tools/accept_wgsl.py --tint FOLDER

Tint comes from PyPI's ``wgpudawn``, which lies in build/tint and not in the environment: it is the
wgpu API on another engine, so that one process should load one of the two. Its null backend needs no
driver and runs Tint's uniformity analysis. One line is printed for each refused text; the exit code
is 1 if there is any.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TINT = ROOT / "build" / "tint"


def texts_in(folder: Path) -> dict[str, str]:
    """Return the texts of a folder by file name."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.wgsl"))}


def refused_by(compiler: str, texts: dict[str, str]) -> list[str]:
    """Return a line for each text that ``"naga"`` or ``"Tint"`` refuses."""
    if compiler == "naga":
        import wgpu

        device = wgpu.gpu.request_adapter_sync().request_device_sync()
        errors = (wgpu.GPUError, ValueError)
    else:
        import wgpudawn  # pyright: ignore[reportMissingImports]

        device = wgpudawn.gpu.request_adapter_sync().request_device_sync()
        errors = (wgpudawn.GPUError, ValueError)
    faults: list[str] = []
    for name, text in texts.items():
        try:
            device.create_shader_module(code=text)
        except errors as error:
            faults.append(f"{compiler} refuses {name}: {error}")
    return faults


def tint_environment() -> dict[str, str]:
    """Return the environment in which ``import wgpudawn`` works without a driver."""
    return {**os.environ, "PYTHONPATH": str(TINT), "WGPU_BACKEND_TYPE": "Null"}


def main(arguments: list[str]) -> int:
    """Check a folder; see the text of this module."""
    folder = Path(arguments[-1])
    texts = texts_in(folder)
    if not texts:
        print(f"no WGSL texts in {folder}")
        return 1
    compiler = "Tint" if "--tint" in arguments else "naga"
    faults = refused_by(compiler, texts)
    print(
        "\n".join([*faults, f"{compiler}: {len(texts)} texts, {len(faults)} refused"]), flush=True
    )
    code = int(bool(faults))
    if compiler == "naga":
        command = [sys.executable, __file__, "--tint", str(folder)]
        code |= subprocess.run(command, env=tint_environment(), check=False).returncode
    return code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
