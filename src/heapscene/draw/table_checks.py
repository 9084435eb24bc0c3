"""What a table refuses, besides columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscene.adaptive import AVal
from heapscene.draw.draw import check_mapping
from heapscene.draw.geometry import Geometry
from heapscene.draw.place import encode_place
from heapscene.draw.state import PipelineState
from heapscene.errors import InputError, StateError, explain

__all__ = ["checked_geometries", "checked_matrix", "checked_state", "refuse_rules"]


def checked_geometries(geometry: Any) -> tuple[Geometry, ...]:
    """Return geometries that do not change, at least one."""
    if isinstance(geometry, Geometry):
        geometry = [geometry]
    given = list(geometry) if isinstance(geometry, Sequence) else []
    if not given or not all(isinstance(item, Geometry) and item.is_constant for item in given):
        kinds = {type(item).__name__ for item in given if not isinstance(item, Geometry)}
        raise InputError(
            explain(
                "a table needs a list of geometries that do not change",
                facts={"given": ", ".join(sorted(kinds)) or ("adaptive" if given else "nothing")},
                fix="Write geometry=[heapscene.geometry.box()]; the column 'geometry' chooses.",
            )
        )
    return tuple(given)


def checked_state(state: Any) -> PipelineState | AVal[PipelineState]:
    """Return a pipeline state, or an adaptive value."""
    if isinstance(state, (PipelineState, AVal)):
        return state
    raise StateError(
        explain(
            "state has to be a PipelineState",
            facts={"given": type(state).__name__},
            fix="Write state=PipelineState(cull_mode='back'), or an adaptive value of one.",
        )
    )


def refuse_rules(rules: Mapping[str, Any] | None) -> None:
    """Raise if there are any rules."""
    if rules is not None:
        check_mapping("rules", rules)
    if rules:
        raise InputError(
            explain(
                "rules= is not supported yet",
                facts={"rules": ", ".join(rules)},
                fix="Write the column 'visible', or give state= as an adaptive value.",
            )
        )


def checked_matrix(value: Any) -> NDArray[np.float64]:
    """Return an own, read-only 4×4 matrix that says where something is."""
    encode_place(value, "transform")
    matrix = np.array(value, np.float64)
    matrix.flags.writeable = False
    return matrix
