"""Passes over the IR: each takes a function or module and returns one that means the same.

In:    verified IR. Out: verified IR that computes less. Keeps: results in the last bit, effects and
their order, names and positions; the text of the result depends on nothing but the text of
the input.
"""

from collections.abc import Callable as _Callable

from heapscene.shader.ir.nodes import Function as _Function
from heapscene.shader.ir.nodes import Module as _Module
from heapscene.shader.passes.dead import drop_dead as drop_dead
from heapscene.shader.passes.effects import Effect as Effect
from heapscene.shader.passes.effects import Effects as Effects
from heapscene.shader.passes.fold import fold as fold
from heapscene.shader.passes.fold import has_constant_work as has_constant_work
from heapscene.shader.passes.reach import Reach as Reach
from heapscene.shader.passes.reach import reach_of as reach_of
from heapscene.shader.passes.rewrite import on_functions as on_functions
from heapscene.shader.passes.sharing import share_common as share_common

PASSES: dict[str, _Callable[[_Function], _Function]] = {
    "fold": fold,
    "common": share_common,
    "dead": drop_dead,
}
"""All passes over functions, in the order in which they help each other."""


def legal(module: _Module) -> _Module:
    """Return the module with those functions folded whose constants WGSL computes by its own rules.

    GPU compilers fold, share and drop by themselves; this is for programs that they refuse.
    """
    return on_functions(module, lambda f: fold(f) if has_constant_work(f) else f)


def optimized(module: _Module, names: tuple[str, ...] = ("fold", "dead")) -> _Module:
    """Return the module after some passes, each on all functions that it reaches."""
    for name in names:
        module = on_functions(module, PASSES[name])
    return module
