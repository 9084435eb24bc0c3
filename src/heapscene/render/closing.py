"""What is opened, used in a ``with`` block, and closed."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from heapscene.adaptive import Unique

__all__ = ["Closing"]


class Closing(Unique):
    """Holds what lies on the GPU: cannot be copied, and is closed at the end of a ``with`` block."""

    def close(self) -> None:
        """Give everything back. Closing twice is fine."""
        raise NotImplementedError

    def _check_open(self) -> None:
        """Raise if it is closed."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
