"""A plain description of a scene, changed at random along with a live scene."""

import numpy as np

from heapscene.adaptive import cset, cval
from heapscene.draw import Draw, PipelineState
from heapscene.geometry import box, cone, plane
from heapscene.materials import PhongMaterial, UnlitMaterial
from heapscene.scene import Group, Mesh, Scene, compose, rotation_x, rotation_y
from reference.drawlist import DrawList, now

SHAPES = [box(), plane(), cone(segments=5)]
COLORS = ["red", "#00ff0080", (0.5, 0.25, 1.0), (0.0, 0.0, 0.0, 0.5)]
STATES = [PipelineState(), PipelineState(cull_mode="back")]
ROOT = 0


class SceneWorld:
    """A plain description, and the live scene that should agree with it."""

    def __init__(self, seed, spread=0.5):
        self.spread = spread  # of scales around 1
        self.rng = np.random.default_rng(seed)
        self.cells = {}  # name -> live cells
        self.specs = {
            ROOT: {"kind": "group", "parent": None, "direct": [], "set": [], "values": {}}
        }
        self.sets = {ROOT: cset()}
        self.scene = Scene(self.sets[ROOT])
        self.live = {ROOT: self.scene}
        self.colors = [self.value("color") for _ in range(4)]
        self.states = [STATES[0]] * 4
        self.materials = [self.material(index) for index in range(4)]
        self.order = []
        self.eager = DrawList(self.scene)
        self.readers = [DrawList(self.scene)]

    # values

    def value(self, name):
        rng = self.rng
        if name in ("position", "scale"):
            width = self.spread if name == "scale" else 1.0
            value = np.round(rng.uniform(1 - width, 1 + width, 3), 2)
            return [tuple(value.tolist()), value, list(value)][rng.integers(3)]
        if name == "rotation":
            turn = rotation_x(rng.uniform(0, 6))
            return [turn, compose((0, 0, 0), turn, 1)[:3, :3]][rng.integers(2)]
        if name == "transform":
            return compose(rng.normal(size=3), rotation_y(rng.uniform(0, 6)), 1 + self.spread)
        if name == "visible":
            return bool(rng.random() < 0.6)
        return COLORS[rng.integers(len(COLORS))]

    def draw_from(self, name):
        """A plain value, or a cell: a new one, or one that others hold already."""
        kind = self.rng.integers(4)
        if kind < 2:
            return self.value(name)
        known = self.cells.setdefault(name, [])
        if kind == 2 or not known:
            known.append(cval(self.value(name)))
        return known[self.rng.integers(len(known))]

    def material(self, index, *, plain=False):
        kind = [UnlitMaterial, PhongMaterial][index % 2]
        color = self.colors[index]
        return kind(now(color) if plain else color, state=self.states[index])

    # the description

    def subtree(self, node):
        spec = self.specs[node]
        if spec["kind"] != "group":
            return [node]
        return [leaf for child in spec["set"] + spec["direct"] for leaf in self.subtree(child)]

    def inside(self, node):
        spec = self.specs[node]
        children = spec["set"] + spec["direct"] if spec["kind"] == "group" else []
        return [node] + [inner for child in children for inner in self.inside(child)]

    def attached(self, node):
        while node != ROOT:
            node = self.specs[node]["parent"]
            if node is None:
                return False
        return True

    def built_afresh(self):
        """Draws of another scene, made from the description, in order of arrival."""
        materials = [self.material(index, plain=True) for index in range(4)]

        def build(node):
            spec = self.specs[node]
            values = {name: now(value) for name, value in spec["values"].items()}
            if spec["kind"] == "draw":
                return spec["draw"]
            if spec["kind"] == "mesh":
                return Mesh(SHAPES[spec["shape"]], materials[spec["material"]], **values)
            return Group(*(build(child) for child in spec["set"] + spec["direct"]), **values)

        twin = DrawList(Scene(build(ROOT)))
        twin.pull()
        by_leaf = dict(zip(self.subtree(ROOT), twin.draws, strict=True))
        for leaf, draw in by_leaf.items():
            visible = all(now(values.get("visible", True)) for values in self.path(leaf))
            assert now(draw.visible) == visible
            assert np.allclose(draw.inputs["model"], self.model_by_hand(leaf), atol=1e-5)
        return [by_leaf[leaf] for leaf in self.order]

    def path(self, node):
        """The values of a node and of all above it, from the root down."""
        found = []
        while node is not None:
            found.insert(0, self.specs[node]["values"])
            node = self.specs[node]["parent"]
        return found

    def model_by_hand(self, leaf):
        result = np.eye(4)
        for values in self.path(leaf):
            local = now(values.get("transform"))
            if local is None:
                place = {"position": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": 1.0} | values
                local = compose(*(now(place[key]) for key in ("position", "rotation", "scale")))
            result = result @ local
        draw = self.specs[leaf].get("draw")
        return result if draw is None else result @ draw.inputs["model"]

    # operations

    def choose(self, *kinds):
        found = [node for node, spec in self.specs.items() if spec["kind"] in kinds and node]
        return int(self.rng.choice(found)) if found else None

    def create(self):
        rng, node = self.rng, len(self.specs)
        kind = ["mesh", "mesh", "mesh", "group", "draw"][rng.integers(5)]
        spec = {"kind": kind, "parent": None, "values": {}}
        names = ["transform"] if rng.random() < 0.3 else ["position", "rotation", "scale"]
        for name in [*names, "visible"]:
            if rng.random() < 0.4:
                spec["values"][name] = self.draw_from(name)
        if kind == "mesh":
            spec["shape"], spec["material"] = int(rng.integers(3)), int(rng.integers(4))
            material = self.materials[spec["material"]]
            self.live[node] = Mesh(SHAPES[spec["shape"]], material, **spec["values"])
        elif kind == "group":
            spec |= {"direct": [], "set": []}
            self.sets[node] = cset()
            self.live[node] = Group(self.sets[node], **spec["values"])
        else:
            inputs = {"model": self.value("transform"), "color": (1.0, 0.0, 0.0)}
            spec["values"] = {}
            spec["draw"] = self.live[node] = Draw(UnlitMaterial().program, SHAPES[0], inputs)
        self.specs[node] = spec
        self.attach(node)

    def attach(self, node):
        parents = [
            n
            for n, spec in self.specs.items()
            if spec["kind"] == "group" and n not in self.inside(node)
        ]
        parent = int(self.rng.choice(parents))
        how = ["direct", "set"][self.rng.integers(2)]
        self.specs[node]["parent"] = parent
        self.specs[parent][how].append(node)
        if self.attached(parent):
            self.order += self.subtree(node)
        if how == "set":
            self.sets[parent].add(self.live[node])
            self.eager.pull()
        else:
            self.live[parent].add(self.live[node])

    def detach(self, node):
        parent = self.specs[node]["parent"]
        if parent is None:
            return
        if self.attached(parent):
            gone = set(self.subtree(node))
            self.order = [leaf for leaf in self.order if leaf not in gone]
        how = "set" if node in self.specs[parent]["set"] else "direct"
        self.specs[parent][how].remove(node)
        self.specs[node]["parent"] = None
        if how == "set":
            self.sets[parent].remove(self.live[node])
            if self.rng.random() < 0.5:
                self.eager.pull()
        else:
            self.live[parent].remove(self.live[node])

    def move(self):
        node = self.choose("mesh", "group", "draw")
        if node is not None:
            self.detach(node)
            self.attach(node)

    def remove(self):
        node = self.choose("mesh", "group", "draw")
        if node is not None and self.rng.random() < 0.3:
            self.detach(node)

    def assign(self):
        node = self.choose("mesh", "group")
        if node is None:
            return
        values = self.specs[node]["values"]
        allowed = ["visible", "position", "rotation", "scale"]
        if "transform" in values:
            allowed = ["visible", "transform"]
        elif not set(values) - {"visible"}:
            allowed.append("transform")
        name = allowed[self.rng.integers(len(allowed))]
        if name == "transform" and "transform" in values and self.rng.random() < 0.3:
            del values["transform"]
            self.live[node].transform = None
            return
        values[name] = self.draw_from(name)
        setattr(self.live[node], name, values[name])

    def write_cell(self):
        names = [name for name, cells in self.cells.items() if cells]
        if names:
            name = names[self.rng.integers(len(names))]
            cells = self.cells[name]
            cells[self.rng.integers(len(cells))].value = self.value(name)

    def swap(self):
        node = self.choose("mesh")
        if node is None:
            return
        spec, live = self.specs[node], self.live[node]
        if self.rng.random() < 0.5:
            spec["shape"] = int(self.rng.integers(3))
            live.geometry = SHAPES[spec["shape"]]
        else:
            spec["material"] = int(self.rng.integers(4))
            live.material = self.materials[spec["material"]]

    def paint(self):
        index = int(self.rng.integers(4))
        if self.rng.random() < 0.3:
            self.states[index] = STATES[self.rng.integers(2)]
            self.materials[index].state = self.states[index]
        else:
            self.colors[index] = self.draw_from("color")
            self.materials[index].color = self.colors[index]

    def read(self):
        if self.rng.random() < 0.1:
            self.readers.append(DrawList(self.scene))
        self.readers[self.rng.integers(len(self.readers))].pull()

    def step(self):
        operations = {
            self.create: 3,
            self.move: 2,
            self.remove: 1,
            self.assign: 6,
            self.write_cell: 4,
            self.swap: 2,
            self.paint: 2,
            self.read: 4,
        }
        weights = np.array(list(operations.values())) / sum(operations.values())
        list(operations)[self.rng.choice(len(weights), p=weights)]()
