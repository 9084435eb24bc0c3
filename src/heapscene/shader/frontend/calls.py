"""Calls: helpers, constructors, intrinsics, methods of values."""

from __future__ import annotations

import ast
import builtins
import inspect
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from heapscene.shader import lang
from heapscene.shader.advice import known_elsewhere
from heapscene.shader.desugar import is_static_call
from heapscene.shader.diagnostics import CallSite, Refusal
from heapscene.shader.frontend.constants import check_constant
from heapscene.shader.frontend.expressions import Expressions
from heapscene.shader.frontend.lowering import Fault, Static, as_function, default_value
from heapscene.shader.ir import build
from heapscene.shader.ir.nodes import Expr
from heapscene.shader.ir.operands import together
from heapscene.shader.operations import INTRINSICS, PARTS, spelled
from heapscene.shader.rules import EXCHANGE_RESULTS, is_tuple
from heapscene.shader.types import BOOL, F32, Matrix, Scalar, StructType, Type, Vector

if TYPE_CHECKING:
    from heapscene.shader.stages import ShaderFunction

__all__ = ["Calls"]

_BUILTINS: dict[int, str] = {
    id(getattr(builtins, name)): name
    for name in ("abs", "all", "any", "max", "min", "pow", "round")
}
_BUILTIN_ADVICE: dict[int, str] = {
    id(float): "Write f32(x).",
    id(int): "Write i32(x) or u32(x).",
    id(print): "Call the function from Python: it runs there, and print works in a debugger.",
    id(len): "Write array_length(a) for storage arrays; vectors have a fixed size.",
    id(range): "range(...) stands in 'for ... in range(...)' only.",
    id(sum): "Add the terms, or use dot(v, vec3(1.0)).",
    id(isinstance): "Types are fixed when the function is compiled.",
    id(type): "Types are fixed when the function is compiled: write the one that it is.",
    id(divmod): "Write x // y and x % y, on u32.",
    id(sorted): "Compare and exchange with min and max.",
    id(map): "Write a 'for' loop.",
    id(enumerate): "Write for i in range(n): and index with i.",
    id(zip): "Write for i in range(n): and index with i.",
    id(reversed): "Write range(n - 1, -1, -1).",
    id(list): "Use a vector, or a workgroup array.",
    id(tuple): "Use a vector or a @struct.",
    id(complex): "Write vec2(real, imaginary).",
    id(str): "Shaders have no text.",
    id(hash): "Write it with u32 and the operators ^, * and >>.",
}
_COMPONENTS = ("with_x", "with_y", "with_z", "with_w")
STATEMENTS = ("discard", *(name for name, op in INTRINSICS.items() if op.is_statement))


class Calls(Expressions):
    """Lowers calls.

    ``whole`` is the call that is all there is on the right of an ``=``, or on a line of its own.
    """

    whole: ast.expr | None = None

    def call(self, node: ast.Call) -> Expr | Static:
        """Return the result of a call."""
        known = self.static_call(node)
        if known is not None:
            return known
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.fault(
                    keyword.value,
                    "'**' is not part of the shader language",
                    kind="syntax",
                    fix="Give the arguments one by one.",
                )
        if isinstance(node.func, ast.Attribute):
            owner = self.any(node.func.value)
            made = owner if isinstance(owner, Expr) else self._captured_owner(owner, node.func)
            if made is not None:
                return self._method(node, node.func, made)
        target = self.any(node.func)
        if isinstance(target, Expr):
            raise self.fault(
                node,
                f"a {spelled(target.type)} cannot be called",
                facts={"type": spelled(target.type), **self._hidden(node.func)},
                fix=f"Give the variable another name, or leave out the call of {ast.unparse(node.func)}.",
            )
        return self._object(node, target)

    def _hidden(self, node: ast.expr) -> dict[str, object]:
        """Return what a variable hides, and where it was assigned."""
        if not isinstance(node, ast.Name):
            return {}
        origin, outside = self.origins.get(node.id), self.outside(node.id)
        facts: dict[str, object] = (
            {} if origin is None else {"assigned in": f"line {origin.lineno}"}
        )
        return facts if outside is None else {**facts, "hides": outside}

    def static_call(self, node: ast.Call) -> Static | None:
        """Return what ``static(...)`` gives; ``None`` if the call is another one."""
        return self._static(node) if self._calls_static(node) else None

    def _calls_static(self, node: ast.Call) -> bool:
        if not is_static_call(node, self.static_names):
            return False
        root = ast.unparse(node.func).partition(".")[0]
        return root not in self.locals and root not in self.uses

    def _static(self, node: ast.Call) -> Static:
        if len(node.args) != 1 or node.keywords:
            raise self.fault(node, "static takes one expression", fix="Write static(expression).")
        inner = node.args[0]
        for each in ast.walk(inner):
            if isinstance(each, ast.Name) and (each.id in self.locals or each.id in self.uses):
                raise self.fault(
                    each,
                    f"{each.id!r} has no value before the function runs",
                    kind="name",
                    fix="Use names of the module in static(...), or an 'if' without it.",
                )
        names = {name: static.value for name, static in self.unrolled.items()}
        text = ast.unparse(inner)
        try:
            return Static(self.function.source.compute(text, names), text)
        except Exception as error:
            raise self.fault(
                inner, f"static({text}) fails: {type(error).__name__}: {error}", kind="name"
            ) from error

    def _captured_owner(self, owner: Static, node: ast.Attribute) -> Expr | None:
        if node.attr == "replace" or node.attr in _COMPONENTS:
            return self.constant(owner, node.value)
        return None

    def _object(self, node: ast.Call, target: Static) -> Expr:
        value = target.value
        if hasattr(value, "stage") and hasattr(value, "source"):
            return self._helper(node, cast("ShaderFunction[..., Any]", value))
        name = _intrinsic_name(value)
        if name is not None:
            return self._intrinsic(node, name)
        type_ = BOOL if value is bool else getattr(value, "__shader_type__", None)
        if isinstance(value, type) and isinstance(type_, Type):
            return self._construct(node, type_)
        owner = getattr(value, "__self__", None)
        matrix = getattr(owner, "__shader_type__", None)
        if isinstance(owner, type) and isinstance(matrix, Matrix):
            return self._matrix_method(node, matrix, value.__name__)
        fix = _BUILTIN_ADVICE.get(id(value)) or known_elsewhere(getattr(value, "__name__", ""))
        if fix is None and inspect.isfunction(value):
            fix = "Decorate it with @function."
        if fix is None:
            module = getattr(value, "__module__", None)
            fix = f"It comes from {module}; only shader functions and intrinsics can be called."
        raise self.fault(
            node.func, f"{target.name!r} cannot be called in a shader", kind="name", fix=fix
        )

    def _positional(self, node: ast.Call, name: str) -> list[Expr]:
        if node.keywords:
            raise self.fault(
                node.keywords[0].value,
                f"{name} takes no argument by name",
                fix=f"Write {name}(...) with the arguments in order.",
            )
        return self.values(*node.args)

    # Intrinsics ------------------------------------------------------------------------------

    def _intrinsic(self, node: ast.Call, name: str) -> Expr:
        if name in STATEMENTS:
            raise self.fault(
                node,
                f"{name}() gives no value",
                kind="syntax",
                fix=f"Write {name}() on a line of its own.",
            )
        if name in PARTS:
            names = ", ".join(part.partition(".")[2] for part in PARTS[name])
            raise self.fault(
                node,
                f"{name}() gives {len(PARTS[name])} values",
                kind="syntax",
                fix=f"Write  {names} = {ast.unparse(node)}  on a line of its own.",
            )
        if name.startswith("bitcast"):
            return self._bitcast(node, name)
        if name == "atomic_compare_exchange":
            return self._exchange(node)
        return self.intrinsic(node, name)

    def intrinsic(self, node: ast.Call, name: str) -> Expr:
        """Return an intrinsic with the arguments of a call."""
        if INTRINSICS[name].place and node.args and not node.keywords:
            named = 2 if "_sample" in name or "_gather" in name else 1
            places = [self.place(arg) for arg in node.args[:named]]
            args = [*places, *self.values(*node.args[named:])]
        else:
            args = self._positional(node, name)
        with self.at(node) as span:
            if name in ("min", "max") and len(args) > 2:  # as Python has them
                first, *rest = together(args)
                return reduce(lambda a, b: build.intrinsic(name, a, b, span=span), rest, first)
            try:
                made = build.intrinsic(name, *args, span=span)
            except Refusal:
                self._check_count(node, name, len(args))
                raise
            return check_constant(made)

    def _check_count(self, node: ast.Call, name: str, count: int) -> None:
        counts = {len(rule.partition(" -> ")[0].split()) for rule in INTRINSICS[name].rules}
        parameters = [
            p.name
            for p in inspect.signature(lang.operation(name)).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        if counts != {len(parameters)} or count in counts:
            return
        raise self.fault(
            node,
            f"{name} takes {_counted(len(parameters))}, not {count}",
            facts={"defined for": ";  ".join(INTRINSICS[name].rules)},
            fix=f"Write {name}({', '.join(parameters)}).",
        )

    def parts(self, node: ast.expr) -> list[Expr] | None:
        """Return all values of something that has several, or ``None`` if it is something else."""
        name = None
        if isinstance(node, ast.Call):
            if self._calls_static(node):
                return None
            target = self.any(node.func)
            name = intrinsic_of(target)
            value = None if name is not None else self._helper_results(node, target)
        else:
            local = self.locals.get(node.id) if isinstance(node, ast.Name) else None
            value = self.value(node) if local is not None and is_tuple(local.type) else None
        if value is not None and isinstance(value.type, StructType):
            whole = self.temporary("results", value)
            return [build.field(whole, field.name) for field in value.type.fields]
        if name not in PARTS:
            return None
        assert isinstance(node, ast.Call)
        args = [self.temporary("given", value) for value in self._positional(node, name)]
        with self.at(node) as span:
            return [check_constant(build.intrinsic(p, *args, span=span)) for p in PARTS[name]]

    def _helper_results(self, node: ast.Call, target: Expr | Static) -> Expr | None:
        """Return the value of a call of a helper that returns a tuple."""
        helper: Any = target.value if isinstance(target, Static) else None
        if not (hasattr(helper, "stage") and hasattr(helper, "source")):
            return None
        found = self.value(node)
        return found if is_tuple(found.type) else self._one_result(node, found)

    def _one_result(self, node: ast.Call, found: Expr) -> Expr:
        raise self.fault(
            node,
            f"{ast.unparse(node.func)} returns {spelled(found.type)}, which is one value",
            facts={"found": spelled(found.type)},
            fix=f"Assign it to one name, or write -> tuple[...] for {ast.unparse(node.func)}.",
        )

    def _exchange(self, node: ast.Call) -> Expr:
        if node is not self.whole:
            raise self.fault(
                node,
                "the result of atomic_compare_exchange is assigned to a name",
                kind="syntax",
                fix="Write  r = atomic_compare_exchange(...)  and read r.old_value, r.exchanged.",
            )
        made = self.intrinsic(node, "atomic_compare_exchange")
        found = build.expression(self.builder.let("exchange", made, span=made.span))
        old = build.field(found, "old_value")
        assert isinstance(old.type, Scalar)
        members = {"old_value": old, "exchanged": build.field(found, "exchanged")}
        return build.struct(EXCHANGE_RESULTS[old.type], members, span=made.span)

    def _bitcast(self, node: ast.Call, name: str) -> Expr:
        _, _, scalar = name.partition("_")
        arguments = list(node.args)
        if scalar:
            wanted: Any = Scalar(scalar)
        else:
            first = self.any(arguments.pop(0)) if arguments else None
            given = first.value if isinstance(first, Static) else None
            wanted = getattr(given, "__shader_type__", None)
        if len(arguments) != 1 or not isinstance(wanted, Type):
            raise self.fault(node, "bitcast wants a type and a value", fix="Write bitcast(f32, x).")
        value = self.value(arguments[0])
        if scalar and isinstance(value.type, Vector):
            wanted = Vector(cast("Scalar", wanted), value.type.size)
        with self.at(node) as span:
            return build.bitcast(wanted, value, span=span)

    # Constructors ----------------------------------------------------------------------------

    def _construct(self, node: ast.Call, type_: Type) -> Expr:
        if isinstance(type_, StructType):
            return self._struct(node, type_)
        if isinstance(type_, Matrix) and len(node.args) == 1:
            found = self.any(node.args[0])
            if isinstance(found, Static) and not isinstance(found.value, type):
                captured = self._captured_matrix(type_, found, node)
                if captured is not None:
                    return captured
        if len(node.args) == 1 and isinstance(node.args[0], ast.List | ast.Tuple):
            raise self._listed_parts(node.args[0], type_)
        args = self._positional(node, spelled(type_))
        with self.at(node) as span:
            if not args:
                return build.zero(type_, span=span)
            if isinstance(type_, Scalar):
                if len(args) != 1:
                    raise self.fault(
                        node,
                        f"{spelled(type_)}() takes one number, not {len(args)}",
                        fix=f"Write vec{len(args)}(...) for a vector.",
                    )
                return build.convert(type_, args[0], span=span)
            if isinstance(type_, Matrix):
                if len(args) == 1 and args[0].type == type_:
                    return args[0]
                if args[0].type == F32:
                    column = f"vec{type_.rows}(...)"
                    raise self.fault(
                        node,
                        f"{spelled(type_)} is made from columns, not from numbers",
                        fix=f"Write {spelled(type_)}({', '.join([column] * type_.columns)}).",
                    )
            return build.construct(type_, *args, span=span)

    def _listed_parts(self, node: ast.List | ast.Tuple, type_: Type) -> Fault:
        """Return the fault of ``vec3([x, y, z])``, which NumPy people write."""
        word = "a list" if isinstance(node, ast.List) else "a tuple"
        fix = f"Write {spelled(type_)}({', '.join(ast.unparse(each) for each in node.elts)})."
        if isinstance(type_, Matrix):
            rows = [
                f"vec{len(row.elts)}({', '.join(map(ast.unparse, row.elts))})"
                if isinstance(row, ast.List | ast.Tuple)
                else ast.unparse(row)
                for row in node.elts
            ]
            fix = f"Write {spelled(type_)}.from_rows({', '.join(rows)})."
        return self.fault(
            node, f"{spelled(type_)} is not made from {word} in a shader", kind="syntax", fix=fix
        )

    def _captured_matrix(self, type_: Matrix, found: Static, node: ast.Call) -> Expr | None:
        value = lang.captured(found.value)
        if isinstance(value, lang.MatrixValue) and type(value).__shader_type__ == type_:
            return self.constant(Static(value, found.name), node)
        return None

    def _matrix_method(self, node: ast.Call, type_: Matrix, name: str) -> Expr:
        args = self._positional(node, name)
        with self.at(node) as span:
            if name == "identity" and not args and type_.columns == type_.rows:
                return self.constant(
                    Static(self._class_of(node).identity(), name),
                    node,
                )
            if name == "from_rows":
                columns = build.construct(Matrix(type_.rows, type_.columns), *args, span=span)
                return build.intrinsic("transpose", columns, span=span)
        raise self.fault(node, f"{spelled(type_)}.{name} cannot be called in a shader")

    def _class_of(self, node: ast.Call) -> Any:
        target = self.any(node.func)
        assert isinstance(target, Static)
        return target.value.__self__

    def _struct(self, node: ast.Call, type_: StructType) -> Expr:
        if node.args:
            raise self.fault(
                node.args[0],
                f"{type_.name} takes its fields by name",
                facts={"fields": ", ".join(member.name for member in type_.fields)},
                fix=f"Write {type_.name}({', '.join(f'{m.name}=...' for m in type_.fields)}).",
            )
        written = {keyword.arg or "": keyword.value for keyword in node.keywords}
        values = self.named_values(written, [member.name for member in type_.fields])
        given: dict[str, build.Operand] = {}
        for keyword in node.keywords:
            value = values[keyword.arg or ""]
            member = type_.field(keyword.arg or "")
            if member is not None and build.matched(value, member.type).type != member.type:
                raise self.fault(
                    keyword.value,
                    f"field {member.name!r} of {type_.name} is {spelled(member.type)}, "
                    f"not {spelled(value.type)}",
                    facts={"wanted": spelled(member.type), "found": spelled(value.type)},
                    fix=f"Convert it: {spelled(member.type)}(...).",
                )
            given[keyword.arg or ""] = value
        with self.at(node) as span:
            for member in type_.fields:
                if member.name not in given:
                    default = default_value(member.default, span)
                    if default is not None:
                        given[member.name] = default
            return build.struct(type_, given, span=span)

    # Methods ---------------------------------------------------------------------------------

    def _method(self, node: ast.Call, func: ast.Attribute, owner: Expr) -> Expr:
        is_struct = isinstance(owner.type, StructType) and not is_tuple(owner.type)
        if is_struct and func.attr == "replace":
            assert isinstance(owner.type, StructType)
            return self._replace(node, owner, owner.type)
        if isinstance(owner.type, Vector) and func.attr in _COMPONENTS:
            return self._with_component(node, owner, owner.type, func.attr[-1])
        fix = known_elsewhere(func.attr) or "Write a function of heapscene.shader, or operators."
        if func.attr in lang.INTRINSICS:
            fix = f"Write {func.attr}({ast.unparse(func.value)}, ...)."
        raise self.fault(
            node,
            f"{spelled(owner.type)} has no method {func.attr!r}",
            facts={"type": spelled(owner.type)},
            fix=fix,
        )

    def _replace(self, node: ast.Call, owner: Expr, type_: StructType) -> Expr:
        if node.args:
            raise self.fault(
                node, "replace takes fields by name", fix="Write s.replace(name=value)."
            )
        base = self.temporary("base", owner)
        members: dict[str, build.Operand] = {
            member.name: build.field(base, member.name) for member in type_.fields
        }
        written = {keyword.arg or "": keyword.value for keyword in node.keywords}
        members.update(self.named_values(written, list(members)))
        with self.at(node) as span:
            return build.struct(type_, members, span=span)

    def _with_component(self, node: ast.Call, owner: Expr, type_: Vector, letter: str) -> Expr:
        args = self._positional(node, f"with_{letter}")
        base = self.temporary("base", owner)
        with self.at(node) as span:
            build.swizzle(base, letter, span=span)
            if len(args) != 1:
                raise self.fault(node, f"with_{letter} takes one number")
            parts = [
                args[0] if each == letter else build.swizzle(base, each)
                for each in "xyzw"[: type_.size]
            ]
            return build.construct(type_, *parts, span=span)

    # Helpers ---------------------------------------------------------------------------------

    def _helper(self, node: ast.Call, helper: ShaderFunction[..., Any]) -> Expr:
        if any(helper is each for each in self.stack):
            names = [each.name for each in self.stack]
            raise self.fault(
                node,
                f"{helper.name!r} calls itself",
                facts={"calls": " -> ".join([*names[names.index(helper.name) :], helper.name])},
                fix="Shaders have no recursion: write a loop.",
            )
        if helper.stage != "function":
            raise self.fault(
                node,
                f"{helper.name!r} is a {helper.stage} function and cannot be called from a shader",
                fix="Move the shared part to a helper with @function.",
            )
        from heapscene.shader.frontend.lower import lowered

        outcome = lowered(helper, self.stack)
        if outcome.function is None:
            site = CallSite(self.function.name, self.function.source.filename, node.lineno)
            raise Fault(*(each.called_from(site) for each in outcome.diagnostics))
        args = self._arguments(node, helper)
        with self.at(node) as span:
            return build.call(as_function(outcome.function), *args, span=span)

    def _arguments(self, node: ast.Call, helper: ShaderFunction[..., Any]) -> list[Expr]:
        parameters = helper.parameters
        signature = ", ".join(f"{p.name}: {spelled(p.type)}" for p in parameters)
        facts = {"signature": f"{helper.name}({signature})"}
        if len(node.args) > len(parameters):
            raise self.fault(
                node,
                f"{helper.name} takes {_counted(len(parameters))}, not {len(node.args)}",
                facts=facts,
                fix=_call_of(helper),
            )
        given = {p.name: arg for p, arg in zip(parameters, node.args, strict=False)}
        known = {p.name for p in parameters}
        for keyword in node.keywords:
            name = keyword.arg or ""
            if name not in known or name in given:
                problem = "gets {!r} twice" if name in given else "has no parameter {!r}"
                raise self.fault(
                    keyword.value,
                    f"{helper.name} {problem.format(name)}",
                    facts=facts,
                    fix=_call_of(helper),
                )
            given[name] = keyword.value
        values = self.named_values(given, [p.name for p in parameters])
        args: list[Expr] = []
        for parameter in parameters:
            if parameter.name in given:
                value = values[parameter.name]
                args.append(self._argument(given[parameter.name], value, helper, parameter))
                continue
            default = default_value(_typed_default(parameter), self.span(node))
            if default is None:
                raise self.fault(
                    node,
                    f"{helper.name} needs the argument {parameter.name!r}",
                    facts=facts,
                    fix=_call_of(helper),
                )
            args.append(default)
        return args

    def _argument(
        self, node: ast.expr, value: Expr, helper: ShaderFunction[..., Any], parameter: Any
    ) -> Expr:
        value = build.matched(value, parameter.type)
        if value.type != parameter.type:
            raise self.fault(
                node,
                f"{helper.name} wants {spelled(parameter.type)} for {parameter.name!r}, "
                f"not {spelled(value.type)}",
                facts={"wanted": spelled(parameter.type), "found": spelled(value.type)},
                fix=f"Convert it: {spelled(parameter.type)}({ast.unparse(node)}).",
            )
        return value


def _typed_default(parameter: Any) -> Any:
    """Return the default as a value of the parameter's type; ``None`` if there is none."""
    default = parameter.default
    if default is None or isinstance(default, lang.Builtin | lang.Interpolation):
        return default
    return lang.convert(default, parameter.type, f"default of {parameter.name!r}")


def _call_of(helper: ShaderFunction[..., Any]) -> str:
    return f"Write {helper.name}({', '.join(p.name for p in helper.parameters)})."


def _counted(count: int) -> str:
    return f"{count} argument{'' if count == 1 else 's'}"


def _intrinsic_name(value: Any) -> str | None:
    known = _BUILTINS.get(id(value))
    if known is not None:
        return known
    found = getattr(value, "__intrinsic__", None)
    return found if isinstance(found, str) else None


def intrinsic_of(target: object) -> str | None:
    """Return the name of the intrinsic that a captured object stands for."""
    return _intrinsic_name(target.value) if isinstance(target, Static) else None
