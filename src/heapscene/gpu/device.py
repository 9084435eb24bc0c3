"""Getting a device that promises what WebGPU promises, and saying why there is none."""

from __future__ import annotations

import atexit
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from heapscene._version import __version__
from heapscene.errors import AdapterError, explain
from heapscene.gpu.warm import teach_types

if TYPE_CHECKING:
    import wgpu

__all__ = ["DEFAULT_LIMITS", "OPTIONAL_FEATURES", "adapter_facts", "request_device"]

Power = Literal["high-performance", "low-power"]

OPTIONAL_FEATURES = ("indirect-first-instance", "timestamp-query")

# The table "Limits" of the WebGPU specification. wgpu-py grants the adapter's limit for every name
# that is not asked for.
DEFAULT_LIMITS: dict[str, int] = {
    "max-texture-dimension-1d": 8192,
    "max-texture-dimension-2d": 8192,
    "max-texture-dimension-3d": 2048,
    "max-texture-array-layers": 256,
    "max-bind-groups": 4,
    "max-bindings-per-bind-group": 1000,
    "max-dynamic-uniform-buffers-per-pipeline-layout": 8,
    "max-dynamic-storage-buffers-per-pipeline-layout": 4,
    "max-sampled-textures-per-shader-stage": 16,
    "max-samplers-per-shader-stage": 16,
    "max-storage-buffers-per-shader-stage": 8,
    "max-storage-textures-per-shader-stage": 4,
    "max-uniform-buffers-per-shader-stage": 12,
    "max-uniform-buffer-binding-size": 64 << 10,
    "max-storage-buffer-binding-size": 128 << 20,
    "min-uniform-buffer-offset-alignment": 256,
    "min-storage-buffer-offset-alignment": 256,
    "max-vertex-buffers": 8,
    "max-buffer-size": 256 << 20,
    "max-vertex-attributes": 16,
    "max-vertex-buffer-array-stride": 2048,
    "max-inter-stage-shader-variables": 16,
    "max-color-attachments": 8,
    "max-color-attachment-bytes-per-sample": 32,
    "max-compute-workgroup-storage-size": 16 << 10,
    "max-compute-invocations-per-workgroup": 256,
    "max-compute-workgroup-size-x": 256,
    "max-compute-workgroup-size-y": 256,
    "max-compute-workgroup-size-z": 64,
    "max-compute-workgroups-per-dimension": 65535,
}

_ICD_FOLDERS = (
    "/etc/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/usr/share/vulkan/icd.d",
)
_INSTALL = "Install the software driver:  apt-get install mesa-vulkan-drivers"
_CHECK = "Then check:                   heapscene doctor"


def request_device(
    *, power: Power = "high-performance", limits: Literal["default", "adapter"] = "default"
) -> wgpu.GPUDevice:
    """Return a device for rendering.

    Parameters
    ----------
    power
        Which adapter to prefer where there are several.
    limits
        ``"default"`` asks for exactly the limits that WebGPU guarantees, so that what runs here
        runs everywhere; ``"adapter"`` takes all that the adapter offers.

    Raises
    ------
    AdapterError
        There is no adapter, only an OpenGL one, or one below WebGPU's limits.
    """
    adapter = _request_adapter(power)
    required: dict[str, int | None] = {**adapter.limits}
    if limits == "default":
        required = {**_required(adapter)}
    features = [name for name in OPTIONAL_FEATURES if name in adapter.features]
    try:
        return adapter.request_device_sync(
            label="heapscene", required_features=features, required_limits=required
        )
    except (RuntimeError, ValueError) as cause:
        raise AdapterError(
            explain(
                "the adapter gave no device",
                facts={"adapter": _describe(adapter.info), "cause": _first_line(cause)},
                fix="See what the adapter offers:  heapscene doctor",
            )
        ) from cause


def adapter_facts(power: Power = "high-performance") -> dict[str, Any]:
    """Return what ``heapscene doctor`` prints; never raises for want of an adapter.

    Returns
    -------
    dict
        JSON-ready: ``ok``, ``error``, ``adapter`` (device, driver, backend, type), ``limits``
        (granted by the adapter, beside WebGPU's), ``features``, ``icd_files``, ``versions``.
    """
    facts: dict[str, Any] = {
        "ok": True,
        "error": None,
        "adapter": None,
        "limits": {},
        "features": {},
        "icd_files": _icd_files(),
        "versions": _versions(),
    }
    try:
        adapter = _request_adapter(power)
        _required(adapter)
    except AdapterError as error:
        return {**facts, "ok": False, "error": str(error)}
    info = adapter.info
    facts["adapter"] = {
        "device": info["device"],
        "vendor": info["vendor"],
        "driver": info["description"],
        "backend": info["backend_type"],
        "type": info["adapter_type"],
    }
    facts["limits"] = {
        name: {"adapter": adapter.limits[name], "webgpu": promised}
        for name, promised in DEFAULT_LIMITS.items()
        if name in _LIMITS_OF_INTEREST and name in adapter.limits
    }
    facts["features"] = {name: name in adapter.features for name in OPTIONAL_FEATURES}
    return facts


_LIMITS_OF_INTEREST = (
    "max-buffer-size",
    "max-storage-buffer-binding-size",
    "max-storage-buffers-per-shader-stage",
    "max-texture-dimension-2d",
    "max-compute-workgroups-per-dimension",
)


def _request_adapter(power: Power) -> wgpu.GPUAdapter:
    _give_driver_a_folder()
    import wgpu
    from wgpu.backends import wgpu_native

    teach_types(wgpu_native.ffi)
    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference=power)
    except (RuntimeError, OSError) as cause:
        raise _no_adapter("no graphics adapter", power, f"none ({_first_line(cause)})") from cause
    if not _is_opengl(adapter):
        return adapter
    # A GPU's OpenGL comes before a Vulkan driver that computes on the CPU, unless one is asked for.
    if not os.environ.get("WGPU_BACKEND_TYPE"):
        for other in wgpu.gpu.enumerate_adapters_sync():
            if not _is_opengl(other):
                return other
    raise _no_adapter(
        "no Vulkan driver, and the OpenGL one cannot run compute shaders",
        power,
        _describe(adapter.info),
    )


def _is_opengl(adapter: wgpu.GPUAdapter) -> bool:
    return adapter.info["backend_type"].startswith("OpenGL")


def _required(adapter: wgpu.GPUAdapter) -> dict[str, int]:
    offered = adapter.limits
    # A limit that the backend does not report (0) or does not know cannot be asked for.
    required = {name: value for name, value in DEFAULT_LIMITS.items() if offered.get(name)}
    short = {
        name: f"{offered[name]:,} offered, {value:,} needed"
        for name, value in required.items()
        if (offered[name] > value if name.startswith("min-") else offered[name] < value)
    }
    if short:
        raise AdapterError(
            explain(
                "the adapter is below the limits that WebGPU guarantees",
                facts={"adapter": _describe(adapter.info), **short},
                fix="See what the adapter offers:  heapscene doctor",
            )
        )
    return required


def _no_adapter(what: str, power: Power, found: str) -> AdapterError:
    files = _icd_files()
    return AdapterError(
        explain(
            what,
            facts={
                "looked for": f"{power} adapter, {_wanted_backend()} first",
                "found": found,
                "ICD files": ", ".join(files) or f"none in {', '.join(_icd_places())}",
            },
            fix=f"{_INSTALL}\n{_CHECK}",
        )
    )


def _wanted_backend() -> str:
    return {"darwin": "Metal", "win32": "Direct3D 12 or Vulkan"}.get(sys.platform, "Vulkan")


def _describe(info: Any) -> str:
    driver = f", {info['description']}" if info["description"] else ""
    return f"{info['device']} ({info['backend_type']}{driver})"


def _first_line(cause: BaseException) -> str:
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return lines[-1] if lines else type(cause).__name__


def _icd_overrides() -> list[str]:
    for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES"):
        if os.environ.get(name):
            return os.environ[name].split(os.pathsep)
    return []


def _icd_places() -> list[str]:
    return _icd_overrides() or list(_ICD_FOLDERS)


def _icd_files() -> list[str]:
    """Vulkan driver manifests that the loader sees; the two variables replace the folders."""
    found: list[str] = []
    for place in map(Path, _icd_places()):
        if place.is_dir():
            found += sorted(str(path) for path in place.glob("*.json"))
        elif place.is_file():
            found.append(str(place))
    return found


def _versions() -> dict[str, str]:
    import importlib.metadata  # slow, and only who asks what is installed needs it

    versions = {"python": platform.python_version(), "heapscene": __version__}
    for name in ("wgpu", "rendercanvas", "numpy"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _give_driver_a_folder() -> None:
    """Mesa complains on standard error about a missing XDG_RUNTIME_DIR, as in containers."""
    if sys.platform == "linux" and not os.environ.get("XDG_RUNTIME_DIR"):
        folder = tempfile.mkdtemp(prefix="heapscene-")
        os.environ["XDG_RUNTIME_DIR"] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
