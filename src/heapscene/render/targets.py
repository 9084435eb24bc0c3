"""What is drawn into: formats, and the textures of an offscreen picture."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from heapscene.adaptive import Unique
from heapscene.errors import FrameOrderError, InputError, StateError, explain
from heapscene.gpu import GpuCalls
from heapscene.wording import one_line

if TYPE_CHECKING:
    import wgpu

__all__ = ["OffscreenTarget", "Targets", "check_size"]

DEPTH_FORMATS = ("depth16unorm", "depth24plus", "depth32float")


# Formats that WebGPU's core can render into.
_FORMATS = (
    *(f"{kind}8unorm" for kind in ("r", "rg", "rgba", "bgra")),
    *("rgba8unorm-srgb", "bgra8unorm-srgb", "rgb10a2unorm", "rgb10a2uint"),
    *(f"{kind}{bits}" for kind in ("r", "rg", "rgba") for bits in ("8uint", "8sint", "16uint")),
    *(f"{kind}{bits}" for kind in ("r", "rg", "rgba") for bits in ("16sint", "16float", "32float")),
    *(f"{kind}{bits}" for kind in ("r", "rg", "rgba") for bits in ("32uint", "32sint")),
)


def _color() -> Mapping[str, str]:
    return {"color": "rgba8unorm-srgb"}


@dataclass(frozen=True)
class Targets:
    """Formats that draws are drawn into; a pipeline is made for exactly these.

    Attributes
    ----------
    colors
        Texture formats by the name of the fragment function's output, in attachment order. Empty for
        a pass that writes depth alone, whatever its programs write.
    depth
        Depth format, or ``None`` for a pass without depth.
    stencil
        Reserved: has to be ``False``.
    samples
        1 or 4, the two counts that WebGPU guarantees.
    """

    colors: Mapping[str, str] = field(default_factory=_color)
    depth: str | None = "depth32float"
    stencil: bool = False
    samples: int = 1

    def __post_init__(self) -> None:
        self._check_colors()
        if type(self.samples) is not int or self.samples not in (1, 4):
            raise StateError(
                explain(
                    f"samples cannot be {self.samples!r}",
                    fix="Write samples=1 or samples=4, the two counts that WebGPU guarantees.",
                )
            )
        if self.stencil is not False:
            raise StateError(
                explain("a stencil target is not supported yet", fix="Write stencil=False.")
            )
        is_named = isinstance(self.depth, str) and self.depth in DEPTH_FORMATS
        if self.depth is not None and not is_named:
            raise StateError(
                explain(
                    f"depth cannot be {self.depth!r}",
                    facts={"allowed": ", ".join(map(repr, DEPTH_FORMATS))},
                    fix="Write depth='depth32float'.",
                )
            )

    def __repr__(self) -> str:
        given = f"colors={dict(self.colors)}, depth={self.depth!r}, samples={self.samples}"
        return one_line(f"Targets({given})")

    def _check_colors(self) -> None:
        colors: Any = self.colors
        if not isinstance(colors, Mapping):
            raise StateError(
                explain(
                    "colors has to be a dict of texture formats by the name of an output",
                    facts={"given": repr(colors)},
                    fix='Write colors={"color": "rgba8unorm-srgb"}.',
                )
            )
        for name, format_ in colors.items():
            if not (isinstance(name, str) and isinstance(format_, str) and format_ in _FORMATS):
                raise StateError(
                    explain(
                        f"colour target {name!r} cannot have the format {format_!r}",
                        facts={"allowed": ", ".join(_FORMATS)},
                        fix='Write colors={"color": "rgba8unorm-srgb"}.',
                    )
                )
        object.__setattr__(self, "colors", MappingProxyType(dict(colors)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Targets, (dict(self.colors), self.depth, self.stencil, self.samples)

    @property
    def key(self) -> tuple[Any, ...]:
        """The formats as a hashable value."""
        return (tuple(self.colors.items()), self.depth, self.samples)


class OffscreenTarget(Unique):
    """Textures of one picture: colour, depth, and the multisampled colour if there are samples."""

    def __init__(self, device: wgpu.GPUDevice, size: tuple[int, int], targets: Targets) -> None:
        import wgpu

        self.size = check_size(size, device)
        self.targets = targets
        attach = wgpu.TextureUsage.RENDER_ATTACHMENT
        if len(targets.colors) != 1:
            raise InputError(
                explain(
                    "an offscreen picture has one colour target",
                    facts={"targets": ", ".join(targets.colors) or "none"},
                    fix="Make the textures yourself, and use a HeapScene in your own pass.",
                )
            )
        (color_format,) = targets.colors.values()
        self._textures: list[wgpu.GPUTexture] = []
        read = wgpu.TextureUsage.COPY_SRC | wgpu.TextureUsage.TEXTURE_BINDING
        try:
            self._color_view = self._make(device, color_format, attach | read, 1)
            self._sample_view = self._depth_view = None
            if targets.samples > 1:
                self._sample_view = self._make(device, color_format, attach, targets.samples)
            if targets.depth is not None:
                self._depth_view = self._make(device, targets.depth, attach, targets.samples)
        except BaseException:
            self.close()
            raise

    def _make(
        self, device: wgpu.GPUDevice, format_: str, usage: int, samples: int
    ) -> wgpu.GPUTextureView:
        width, height = self.size
        what = f"the device made no {format_} texture"
        with GpuCalls(what, size=f"{width}×{height} pixels", samples=samples):
            texture = device.create_texture(
                label=f"heapscene {format_}",
                size=(width, height, 1),
                format=format_,  # pyright: ignore[reportArgumentType]
                usage=usage,
                sample_count=samples,
            )
            self._textures.append(texture)
            return texture.create_view()

    def __repr__(self) -> str:
        return one_line(
            f"OffscreenTarget({'closed' if self.is_closed else self.size}, {self.targets})"
        )

    @property
    def is_closed(self) -> bool:
        """Whether the textures are gone."""
        return not self._textures

    @property
    def color(self) -> wgpu.GPUTexture:
        """The texture with the picture.

        Raises
        ------
        FrameOrderError
            The target is closed.
        """
        self.check_open()
        return self._textures[0]

    def check_open(self) -> None:
        """Raise a :class:`FrameOrderError` if the target is closed."""
        if self.is_closed:
            raise FrameOrderError(
                explain("the target is closed", fix="Make another one: OffscreenTarget(...).")
            )

    def pass_descriptor(self, background: tuple[float, float, float, float]) -> dict[str, Any]:
        """Return the arguments of ``begin_render_pass``; ``background`` is linear RGBA.

        Raises
        ------
        FrameOrderError
            The target is closed.
        """
        self.check_open()
        color: dict[str, Any] = {
            "view": self._color_view,
            "clear_value": background,
            "load_op": "clear",
            "store_op": "store",
        }
        if self._sample_view is not None:
            color |= {
                "view": self._sample_view,
                "resolve_target": self._color_view,
                "store_op": "discard",
            }
        descriptor: dict[str, Any] = {"color_attachments": [color]}
        if self._depth_view is not None:
            descriptor["depth_stencil_attachment"] = {
                "view": self._depth_view,
                "depth_clear_value": 1.0,
                "depth_load_op": "clear",
                "depth_store_op": "discard",
            }
        return descriptor

    def close(self) -> None:
        """Let go of the textures; commands that are encoded already keep those that they need."""
        # Dropped, not destroyed: to submit commands that draw into a destroyed one ends the process.
        self._color_view = self._sample_view = self._depth_view = None
        self._textures.clear()


def check_size(
    size: Any, device: wgpu.GPUDevice | None = None, *, least: int = 1
) -> tuple[int, int]:
    """Return width and height in pixels.

    Raises
    ------
    InputError
        Not two whole numbers from ``least`` on, or more than the textures of ``device`` can have.
    """
    try:
        width, height = (operator.index(side) for side in size)
    except (TypeError, ValueError):
        width = height = -1
    if min(width, height) < least:
        raise InputError(
            explain(
                f"a size is two whole numbers from {least} on: width and height in pixels",
                facts={"given": repr(size)},
                fix="Write size=(800, 600).",
            )
        )
    most = None if device is None else int(device.limits["max-texture-dimension-2d"])
    if most is not None and max(width, height) > most:
        raise InputError(
            explain(
                f"a picture of {width}×{height} pixels is larger than this device can draw",
                facts={"largest side": most},
                fix="Draw a smaller picture, or several parts of it.",
            )
        )
    return (width, height)
