"""Section `model_src`: the Python class `ModelNew` that calls the operator. Followed, not executed.

Its forward may look at shapes, allocate, reshape and call the bundle's operator; whatever computes is a finding.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from kernelwright_backends.ascendc.operator_bundle.model_expressions import (
    SECTION,
    Expressions,
    Frame,
    LibraryCall,
)
from kernelwright_backends.ascendc.operator_bundle.values import NONE, Value, merged, opaque, scalar, short
from kernelwright_backends.interfaces.operator_bundle import Problem
from kernelwright_backends.untrusted.parsing import parse_python

_EVADING = {
    "exec",
    "eval",
    "compile",
    "__import__",
    "open",
    "globals",
    "locals",
    "vars",
    "delattr",
    "breakpoint",
    "input",
}
_EVADING_LIBRARIES = {
    "ctypes", "subprocess", "inspect", "gc", "builtins", "multiprocessing", "threading", "socket", "pickle", "marshal", "cffi", "mmap",
    "signal", "shutil", "runpy", "code", "atexit",
}  # fmt: skip


@dataclass(frozen=True)
class Following:
    """What forward does, as far as it can be said."""

    calls: tuple[LibraryCall, ...]
    returned: Value
    problems: tuple[Problem, ...]  # with a code: findings; without: why it could not be followed
    parameters: tuple[str, ...]  # of ModelNew, dotted, in the order of their creation


def follow_model(text: str, forward: Sequence[str], init: Sequence[str], names: Sequence[str]) -> Following:
    """Follow `ModelNew`.

    Args:
        forward: the parameters of the task's forward, in order: what ModelNew's are given.
        init: those of its __init__.
        names: the functions that the extension offers.
    """
    try:
        tree = parse_python(text.lstrip("\ufeff"))
    except SyntaxError as error:
        line = getattr(error, "lineno", None) or 1
        said = getattr(error, "msg", None) or str(error)
        return Following(
            (), NONE, (Problem(SECTION, f"model_src is not valid Python: {said}", line, 1, line, 2),), ()
        )
    return _Model(text, tree, forward, init, names).follow()


class _Model(Expressions):
    """Statements of the module and of the functions that forward calls."""

    def __init__(
        self, text: str, tree: ast.Module, forward: Sequence[str], init: Sequence[str], names: Sequence[str]
    ) -> None:
        super().__init__(text, names)
        self._tree, self._forward, self._init = tree, forward, init

    def follow(self) -> Following:
        self._module()
        model = next(
            (n for n in self._tree.body if isinstance(n, ast.ClassDef) and n.name == "ModelNew"), None
        )
        if model is None:
            message = "model_src defines no class ModelNew"
            return Following((), NONE, (Problem(SECTION, message),), ())
        self._methods = {n.name: n for n in model.body if isinstance(n, ast.FunctionDef)}
        if "__init__" in self._methods:
            self._initialising = True
            self._enter(self._methods["__init__"], [scalar(name) for name in self._init], initialising=True)
            self._initialising = False
        if "forward" not in self._methods:
            self._problem(model, "ModelNew defines no forward")
            return Following((), NONE, tuple(self._problems), ())
        given = [Value("tensor", name) for name in self._forward]
        returned = self._enter(self._methods["forward"], given)
        if self._calls or not any(p.code is None for p in self._problems):
            self._honest(returned)
        return Following(tuple(self._calls), returned, tuple(self._problems), tuple(self._parameters))

    def _honest(self, returned: Value) -> None:
        forward = self._methods["forward"]
        if not self._calls:
            message = "forward never calls the operator that the bundle defines"
            self._problem(forward, message, "HACK_NO_KERNEL", name=True)
        elif certainly_other(returned) or (
            returned.kind == "items" and all(certainly_other(i) for i in returned.items)
        ):
            message = "the result of forward does not come from the operator"
            self._problem(forward, message, "HACK_NO_KERNEL", name=True)

    def _module(self) -> None:
        for node in ast.walk(self._tree):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in _EVADING:
                    self._problem(node, f"{name}() is not allowed in a model", "HACK_EVASION")
                case ast.Import(names=aliases):
                    for alias in aliases:
                        self._imported(
                            node, alias.name, alias.asname or alias.name.split(".")[0], alias.asname is None
                        )
                case ast.ImportFrom(module=module, names=aliases) if module:
                    for alias in aliases:
                        self._imported(node, f"{module}.{alias.name}", alias.asname or alias.name, False)
                case ast.Global() | ast.Nonlocal():
                    message = "a variable of the module outlives the call, so results could be kept in it"
                    self._problem(node, message, "HACK_CACHED")
        frame = Frame(self._globals)
        for statement in self._tree.body:
            match statement:
                case ast.FunctionDef():
                    self._functions[statement.name] = statement
                case ast.Assign() | ast.AnnAssign():
                    self._statement(statement, frame)
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    for target in targets:
                        self._patched(target)
                case ast.Expr(value=ast.Call() as call):
                    self._value(call, frame)

    def _patched(self, target: ast.expr) -> None:
        if isinstance(target, ast.Attribute):
            value = self._value(target.value, Frame(self._globals))
            if value.kind == "library":
                message = (
                    f"{ast.unparse(target)} is replaced, although the comparison of the result may rely on it"
                )
                self._problem(target, message, "HACK_EVASION")

    def _imported(self, node: ast.AST, module: str, name: str, outermost: bool) -> None:
        root = module.split(".")[0]
        if root in _EVADING_LIBRARIES:
            self._problem(node, f"{root} is not allowed in a model", "HACK_EVASION")
        self._globals[name] = Value("library", root if outermost else module)

    def _enter(
        self, function: ast.FunctionDef, given: Sequence[Value], keywords: dict[str, Value] | None = None,
        *, initialising: bool = False, depth: int = 0, method: bool = True,
    ) -> Value:  # fmt: skip
        frame = Frame(initialising=initialising, depth=depth)
        arguments = function.args
        listed = [*arguments.posonlyargs, *arguments.args]
        if method and listed and not any(ast.unparse(d) == "staticmethod" for d in function.decorator_list):
            frame.names[listed[0].arg] = Value("module", "self")
            listed = listed[1:]
        defaults = [None] * (len(listed) - len(arguments.defaults)) + list(arguments.defaults)
        for position, (argument, default) in enumerate(
            zip(listed, defaults[-len(listed) :] if listed else [], strict=True)
        ):
            if position < len(given):
                value = given[position]
            elif keywords and argument.arg in keywords:
                value = keywords[argument.arg]
            elif default is not None:
                value = self._value(default, frame)
            else:
                value = opaque(f"the value of '{argument.arg}' is not known")
                if not initialising:
                    self._problem(
                        argument, f"the task gives no value for '{argument.arg}' of {function.name}"
                    )
            frame.names[argument.arg] = value
        if arguments.vararg is not None:
            frame.names[arguments.vararg.arg] = Value("items", items=tuple(given[len(listed) :]))
        elif len(given) > len(listed) and not initialising:
            self._problem(
                function,
                f"{function.name} takes {len(listed)} arguments, the task gives {len(given)}",
                name=True,
            )
        if arguments.kwarg is not None:
            frame.names[arguments.kwarg.arg] = opaque("the call has keywords")
        for argument, value_node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            known = (keywords or {}).get(argument.arg)
            frame.names[argument.arg] = known or (
                self._value(value_node, frame) if value_node else opaque(argument.arg)
            )
        self._block(function.body, frame)
        returned = frame.returned
        if not returned:
            return NONE
        if all(value == returned[0] for value in returned):
            return returned[0]
        around = next((v for v in returned if v.is_tensor and certainly_other(v)), None)
        if around is not None:
            # A way round the operator is one, whatever the condition says.
            return around
        return opaque("it depends on a condition", tensor=True)

    def _block(self, body: Sequence[ast.stmt], frame: Frame) -> None:
        for statement in body:
            self._statement(statement, frame)
            if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                return

    def _statement(self, node: ast.stmt, frame: Frame) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                made = self._value(value, frame)
                for target in targets:
                    self._assign(target, made, frame)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self._assign(target, self._value(value, frame), frame)
            case ast.AugAssign(target=target, value=value, op=op):
                one, other = self._value(target, frame), self._value(value, frame)
                made = self._arithmetic(node, one, other, op)
                self._assign(target, made, frame)
            case ast.Return(value=value):
                frame.returned.append(self._value(value, frame) if value is not None else NONE)
            case ast.Expr(value=value):
                self._value(value, frame)
            case ast.If(test=test, body=body, orelse=other):
                self._branch(test, body, other, frame)
            case ast.For(target=target, iter=iterated, body=body, orelse=other):
                self._loop(body, other, frame, target, self._value(iterated, frame))
            case ast.While(test=test, body=body, orelse=other):
                self._value(test, frame)
                self._loop(body, other, frame)
            case ast.With(items=items, body=body):
                for item in items:
                    made = self._value(item.context_expr, frame)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, made, frame)
                self._block(body, frame)
            case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
                self._block([*body, *other], frame)
                for handler in handlers:
                    self._block(
                        handler.body,
                        Frame(dict(frame.names), frame.returned, frame.initialising, frame.depth),
                    )
                self._block(last, frame)
            case ast.Assert(test=test):
                self._value(test, frame)
            case ast.FunctionDef():
                self._functions[node.name] = node
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Raise() | ast.Global() | ast.Nonlocal():
                pass

    def _branch(self, test: ast.expr, body: list[ast.stmt], other: list[ast.stmt], frame: Frame) -> None:
        truth = self._truth(test, frame)
        if truth is not None:
            self._block(body if truth else other, frame)
            # What is not taken with these values may be taken with others: it must be legitimate too.
            self._block(
                other if truth else body, Frame(dict(frame.names), [], frame.initialising, frame.depth)
            )
            return
        before, calls = dict(frame.names), len(self._calls)
        kept = dict(self._self)
        self._block(body, frame)
        after, inner = dict(frame.names), dict(self._self)
        frame.names = dict(before)
        self._self = kept
        self._block(other, frame)
        why = f"it depends on '{short(ast.unparse(test))}'"
        raises = [bool(branch) and isinstance(branch[-1], ast.Raise) for branch in (body, other)]
        if raises[0] or raises[1]:
            if raises[1] and not raises[0]:
                frame.names, self._self = after, inner
        else:
            names = {*after, *frame.names}
            frame.names = {n: merged(after.get(n), frame.names.get(n), why) for n in names}
            self._self = {n: merged(inner.get(n), self._self.get(n), why) for n in {*inner, *self._self}}
        if len(self._calls) > calls:
            self._problem(test, "which operator is called depends on a condition")

    def _loop(
        self, body: list[ast.stmt], other: list[ast.stmt], frame: Frame, target: ast.expr | None = None, iterated: Value = NONE
    ) -> None:  # fmt: skip
        before = dict(frame.names)
        if target is not None:
            self._assign(target, opaque("it changes in a loop", iterated.is_tensor), frame)
        self._looping += 1
        self._block(body, frame)
        self._looping -= 1
        for name, value in before.items():
            frame.names[name] = merged(value, frame.names.get(name), f"'{name}' changes in a loop")
        self._block(other, frame)

    def _assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        match target:
            case ast.Name(id=name):
                frame.names[name] = value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                known = value.items if value.kind == "items" and len(value.items) == len(elements) else None
                for position, element in enumerate(elements):
                    if known is not None:
                        one = known[position]
                    elif value.kind == "scalar" and value.text.endswith(".shape"):
                        one = scalar(f"{value.text}[{position}]")
                    else:
                        one = opaque(f"a part of '{value.text}'", value.is_tensor)
                    self._assign(element, one, frame)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if frame.names.get(owner) == Value(
                "module", "self"
            ):
                if not frame.initialising and value.is_tensor:
                    message = (
                        f"forward keeps a tensor in self.{name}, which could be returned for the next inputs"
                    )
                    self._problem(target, message, "HACK_CACHED")
                self._self[name] = self._owned(name, value)
            case ast.Subscript(value=inner):
                on = self._value(inner, frame)
                if on.is_tensor and not self._initialising:
                    self._problem(
                        target,
                        f"'{ast.unparse(target)} = ...' writes a tensor outside of the kernel",
                        "HACK_OPERATOR",
                    )
                elif on.kind == "module" and value.is_tensor and not frame.initialising:
                    self._problem(target, "forward keeps a tensor for the next call", "HACK_CACHED")
            case ast.Attribute(value=inner):
                on = self._value(inner, frame)
                if on.kind == "library":
                    message = f"{ast.unparse(target)} is replaced, although the comparison of the result may rely on it"
                    self._problem(target, message, "HACK_EVASION")


def certainly_other(value: Value) -> bool:
    """Is this no result of an operator of the bundle?"""
    return value.kind in ("tensor", "none", "scalar") or value.elsewhere
