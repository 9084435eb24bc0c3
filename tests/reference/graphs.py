"""Random graphs over values, sets, lists and dictionaries, each node with its recompute-all twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from heapscene.adaptive import amap, cdict, clist, computed, cset, cval, union_all
from reference.twins import Twin, TwinCell, distinct, flat

SIZE = 8
"""Elements, keys and values are the numbers below."""

MAX_DEPTH = 4


class Refused(Exception):
    """What functions of users raise here."""


@dataclass(eq=False)
class Pair:
    """A node and its twin; `safe` if it never fails, `depth` bounds the work of the twin."""

    kind: str
    real: Any
    twin: Any
    depth: int = 0
    safe: bool = True

    def expected(self) -> Any:
        try:
            return self.twin.value
        except Refused:
            return Refused

    def outcome(self) -> Any:
        try:
            return content_of(self.real.value)
        except Refused:
            return Refused

    def agrees(self) -> bool:
        got, expected = self.outcome(), self.expected()
        if self.kind == "set" and Refused not in (got, expected):
            return len(got) == len(expected) and set(got) == set(expected)
        return got == expected


def content_of(value: Any) -> Any:
    return list(value) if type(value).__name__ == "dict_keys" else value


def refuse(x: Any, condition: bool) -> Any:
    if condition:
        raise Refused
    return x


class Graph:
    """Cells, what is derived from them at random, and random changes of the cells."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        numbers = range(SIZE)
        self.values = [Pair("val", cval(i), TwinCell(i)) for i in range(4)]
        self.sets = [Pair("set", cset(numbers[:i]), TwinCell([*numbers[:i]])) for i in range(3)]
        self.lists = [Pair("list", clist(numbers[:i]), TwinCell([*numbers[:i]])) for i in range(3)]
        self.dicts = [
            Pair("dict", cdict({k: k for k in numbers[:i]}), TwinCell({k: k for k in numbers[:i]}))
            for i in (2, 5)
        ]
        self.families = [  # collections of collections; the twins hold twins
            Pair("set", cset(p.real for p in self.sets[:2]), TwinCell([*self.sets[:2]])),
            Pair("list", clist(p.real for p in self.lists[:2]), TwinCell([*self.lists[:2]])),
        ]
        self.cells = [*self.values, *self.sets, *self.lists, *self.dicts]
        self.derived: list[Pair] = []
        for _ in range(25):
            self.grow()

    def number(self, stop: int = SIZE) -> int:
        return int(self.rng.integers(0, stop))

    def choose(self, pairs: list[Pair]) -> Pair:
        return pairs[self.number(len(pairs))]

    def pick(self, kind: str, deepest: int = MAX_DEPTH - 1) -> Pair:
        fitting = [p for p in (*self.cells, *self.derived) if p.kind == kind and p.depth <= deepest]
        return self.choose(fitting)

    def grow(self) -> None:
        """Add a derived node; let go of an old one if there are many."""
        if len(self.derived) > 40:
            del self.derived[self.number(len(self.derived))]
        make = MAKERS[self.number(len(MAKERS))]
        self.derived.append(make(self, self.number(), *self.values[:3]))

    def change(self) -> None:
        """Change a cell, and its twin."""
        kind = self.number(11)
        if kind < 3:
            pair = self.choose(self.values)
            pair.real.value = pair.twin.content = self.number()
        elif kind < 5:
            self.change_set()
        elif kind < 8:
            self.change_list()
        elif kind < 10:
            self.change_dict()
        else:
            self.change_family()

    def change_set(self) -> None:
        pair = self.choose(self.sets)
        added, removed = self.rng.integers(0, SIZE, (2, self.number(4))).tolist()
        pair.real.update(added, removed)
        kept = [x for x in pair.twin.content if x not in removed]
        pair.twin.content = distinct([*kept, *added])

    def change_list(self) -> None:
        pair = self.choose(self.lists)
        real, twin = pair.real, pair.twin.content.copy()
        kind, at, x = self.number(8), self.number(len(twin) + 1), self.number()
        if len(twin) > 7:
            kind = 5
        for content in (real, twin):
            if kind == 0:
                content.append(x)
            elif kind < 3:
                content.insert(at, x)
            elif kind == 3 and at < len(twin):
                content[at] = x
            elif kind == 4 and at < len(content):
                del content[at]
            elif kind == 5:
                content[at : at + x % 5] = [x] * (x % 3)
            elif kind == 6:
                del content[at :: 1 + x % 2]
            elif kind == 7 and x in twin:
                content.remove(x)
        pair.twin.content = twin

    def change_dict(self) -> None:
        pair = self.choose(self.dicts)
        content = dict(pair.twin.content)
        keys = self.rng.integers(0, SIZE, self.number(3)).tolist()
        removed = distinct(k for k in keys if k in content)
        assigned = {self.number(): self.number() for _ in range(self.number(3))}
        pair.real.update(assigned, removed)
        for key in removed:
            del content[key]
        pair.twin.content = content | assigned

    def change_family(self) -> None:
        kind = self.number(2)
        family, some = self.families[kind], self.choose((self.sets, self.lists)[kind])
        members = list(family.twin.content)
        if some in members:
            family.real.remove(some.real)
            members.remove(some)
        elif len(members) < 3:
            (family.real.add if kind == 0 else family.real.append)(some.real)
            members.append(some)
        family.twin.content = members


def node(
    kind: str, real: Any, compute: Callable[[], Any], *sources: Pair, fails: bool = False
) -> Pair:
    depth = 1 + max(source.depth for source in sources)
    safe = not fails and all(source.safe for source in sources)
    return Pair(kind, real, Twin(compute), depth, safe)


def value_of_values(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a, b = g.pick("val"), g.pick("val")
    x, y, s, t = a.real, b.real, a.twin, b.twin
    choice = g.number(7)
    if choice == 0:
        return node("val", x.map(lambda v: v % (k + 1)), lambda: s.value % (k + 1), a)
    if choice == 1:
        both = amap(lambda v, w: (v * 3 + w) % SIZE, x, y)
        return node("val", both, lambda: (s.value * 3 + t.value) % SIZE, a, b)
    if choice == 2:
        some = computed(lambda: y.value if p.real.value % 2 else x.value)
        return node("val", some, lambda: t.value if p.twin.value % 2 else s.value, a, b)
    if choice == 3:
        bound = p.real.bind(lambda v: (x, y)[v % 2])
        return node("val", bound, lambda: (s, t)[p.twin.value % 2].value, a, b)
    if choice == 4:
        picky = x.map(lambda v: refuse(v, v == k))
        return node("val", picky, lambda: refuse(s.value, s.value == k), a, fails=True)
    if choice == 5:  # nodes made inside an evaluation
        inner = computed(lambda: x.map(lambda v: v + k).bind(lambda _: y).value)
        return node("val", inner, lambda: (s.value, t.value)[1], a, b)
    later = x.map(lambda v, w, u: (v + w * u) % SIZE, q.real, r.real)
    return node("val", later, lambda: (s.value + q.twin.value * r.twin.value) % SIZE, a)


def value_of_collection(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a = g.pick(("set", "list")[g.number(2)])
    x, s = a.real, a.twin
    choice = g.number(11)
    real, compute = [
        lambda: (x.count(), lambda: len(s.value)),
        lambda: (x.sum(), lambda: sum(s.value)),
        lambda: (
            x.sum(lambda v: v * p.real.value),
            lambda: sum(v * p.twin.value for v in s.value),
        ),
        lambda: (
            x.fold(lambda t, v: t + v * v, lambda t, v: t - v * v, k),
            lambda: k + sum(v * v for v in s.value),
        ),
        lambda: (x.fold(max, None, k), lambda: max([k, *s.value])),
        lambda: (
            x.exists(lambda v: v % 3 == p.real.value),
            lambda: any(v % 3 == p.twin.value for v in s.value),
        ),
        lambda: (x.forall(lambda v: v < k), lambda: all(v < k for v in s.value)),
        lambda: (x.min(default=k), lambda: min(s.value, default=k)),
        lambda: (x.max(default=k), lambda: max(s.value, default=k)),
        lambda: (x.contains(k), lambda: k in s.value),
        lambda: (computed(lambda: sum(x) + len(x)), lambda: sum(s.value) + len(s.value)),
    ][choice]()
    return node("val", real.map(lambda v: int(v) % SIZE), lambda: int(compute()) % SIZE, a)


def value_of_dict(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a = g.pick("dict")
    x, s = a.real, a.twin
    if g.number(3):
        return node("val", x.get(k, -1), lambda: s.value.get(k, -1), a)
    return node("val", x.count(), lambda: len(s.value), a)


def set_of_set(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a = g.pick("set")
    x, s = a.real, a.twin
    flags, twins = [p.real, q.real, r.real], [p.twin, q.twin, r.twin]
    choice = g.number(6)
    if choice == 0:
        return node(
            "set", x.map(lambda v: v % (k + 1)), lambda: distinct(v % (k + 1) for v in s.value), a
        )
    if choice == 1:
        real = x.map(lambda v: v * flags[v % 3].value % SIZE)
        return node(
            "set", real, lambda: distinct(v * twins[v % 3].value % SIZE for v in s.value), a
        )
    if choice == 2:
        real = x.filter(lambda v: flags[v % 3].value % 2 == 0)
        return node("set", real, lambda: [v for v in s.value if twins[v % 3].value % 2 == 0], a)
    if choice == 3:
        real = x.filter_a(lambda v: flags[v % 3].map(lambda flag: flag > k))
        return node("set", real, lambda: [v for v in s.value if twins[v % 3].value > k], a)
    if choice == 4:
        real = x.map_a(lambda v: flags[v % 2])
        return node("set", real, lambda: distinct(twins[v % 2].value for v in s.value), a)
    real = x.map(lambda v: refuse(v, p.real.value == k and v % 3 == 0))
    return node(
        "set",
        real,
        lambda: [refuse(v, p.twin.value == k and v % 3 == 0) for v in s.value],
        a,
        fails=True,
    )


def set_of_several(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a, b, c = g.pick("set"), g.pick("set", 1), g.pick("set", 1)
    x, y, z, s, t, u = a.real, b.real, c.real, a.twin, b.twin, c.twin
    choice = g.number(5)
    if choice == 0:
        return node(
            "set", x.union(y, z), lambda: distinct(flat([s.value, t.value, u.value])), a, b, c
        )
    if choice == 1:
        real = x.bind(lambda v: y if (p.real.value + v) % 2 else z)
        return node(
            "set",
            real,
            lambda: distinct(flat([(t if (p.twin.value + v) % 2 else u).value for v in s.value])),
            a,
            b,
            c,
        )
    if choice == 2:
        real = p.real.bind_set(lambda v: (y, z)[v % 2])
        return node("set", real, lambda: (t, u)[p.twin.value % 2].value, b, c)
    if choice == 3:
        real = x.bind(lambda v: (y, z)[refuse(v, p.real.value == k) % 2])
        return node(
            "set",
            real,
            lambda: distinct(
                flat([(t, u)[refuse(v, p.twin.value == k) % 2].value for v in s.value])
            ),
            a,
            b,
            c,
            fails=True,
        )
    family = g.families[0]
    real = union_all(family.real) if k % 2 else family.real.flatten()
    return node(
        "set", real, lambda: distinct(flat(m.twin.value for m in family.twin.value)), family
    )


def set_of_other(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    choice = g.number(4)
    if choice == 0:
        a = g.pick("list")
        return node("set", a.real.as_set(), lambda: distinct(a.twin.value), a)
    if choice == 1:
        a = g.pick("dict")
        return node("set", a.real.as_set(), lambda: distinct(a.twin.value.values()), a)
    if choice == 2:
        a = g.pick("dict")
        return node("set", a.real.keys(), lambda: list(a.twin.value), a)
    a = g.pick("val")
    return node("set", a.real.as_set(), lambda: [a.twin.value], a)


def list_of_list(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a = g.pick("list")
    x, s = a.real, a.twin
    flags, twins = [p.real, q.real, r.real], [p.twin, q.twin, r.twin]
    choice = g.number(6)
    if choice == 0:
        return node("list", x.map(lambda v: v % (k + 1)), lambda: [v % (k + 1) for v in s.value], a)
    if choice == 1:
        real = x.map(lambda v: v * flags[v % 3].value % SIZE)
        return node("list", real, lambda: [v * twins[v % 3].value % SIZE for v in s.value], a)
    if choice == 2:
        real = x.filter(lambda v: flags[v % 3].value % 2 == 0)
        return node("list", real, lambda: [v for v in s.value if twins[v % 3].value % 2 == 0], a)
    if choice == 3:
        real = x.filter_a(lambda v: flags[v % 3].map(lambda flag: flag > k))
        return node("list", real, lambda: [v for v in s.value if twins[v % 3].value > k], a)
    if choice == 4:
        real = x.map_a(lambda v: flags[v % 2])
        return node("list", real, lambda: [twins[v % 2].value for v in s.value], a)
    real = x.map(lambda v: refuse(v, p.real.value == k and v % 3 == 0))
    return node(
        "list",
        real,
        lambda: [refuse(v, p.twin.value == k and v % 3 == 0) for v in s.value],
        a,
        fails=True,
    )


def list_of_several(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a, b, c = g.pick("list", 1), g.pick("list", 1), g.pick("list", 1)
    x, y, z, s, t, u = a.real, b.real, c.real, a.twin, b.twin, c.twin
    choice = g.number(5)
    if choice == 0:
        return node("list", x.concat(y, x), lambda: [*s.value, *t.value, *s.value], a, b)
    if choice == 1:
        return node("list", x + z, lambda: s.value + u.value, a, c)
    if choice == 2:
        real = g.lists[0].real.bind(lambda v: y if (p.real.value + v) % 2 else z)
        source = g.lists[0].twin
        return node(
            "list",
            real,
            lambda: flat([(t if (p.twin.value + v) % 2 else u).value for v in source.value]),
            b,
            c,
        )
    if choice == 3:
        real = p.real.bind_list(lambda v: (y, z)[v % 2])
        return node("list", real, lambda: (t, u)[p.twin.value % 2].value, b, c)
    family = g.families[1]
    return node(
        "list", family.real.flatten(), lambda: flat(m.twin.value for m in family.twin.value), family
    )


def dict_of_dict(g: Graph, k: int, p: Pair, q: Pair, r: Pair) -> Pair:
    a = g.pick("dict")
    x, s = a.real, a.twin
    choice = g.number(3)
    if choice == 0:
        real = x.map(lambda key, v: (key + v * p.real.value) % SIZE)
        return node(
            "dict",
            real,
            lambda: {key: (key + v * p.twin.value) % SIZE for key, v in s.value.items()},
            a,
        )
    if choice == 1:
        real = x.filter(lambda key, v: (key + v + p.real.value) % 3 > 0)
        return node(
            "dict",
            real,
            lambda: {j: v for j, v in s.value.items() if (j + v + p.twin.value) % 3 > 0},
            a,
        )
    real = x.map(lambda key, v: refuse(v, key == k and q.real.value == 1))
    return node(
        "dict",
        real,
        lambda: {j: refuse(v, j == k and q.twin.value == 1) for j, v in s.value.items()},
        a,
        fails=True,
    )


MAKERS = (
    value_of_values,
    value_of_values,
    value_of_collection,
    value_of_collection,
    value_of_dict,
    set_of_set,
    set_of_set,
    set_of_several,
    set_of_other,
    list_of_list,
    list_of_list,
    list_of_several,
    dict_of_dict,
)
