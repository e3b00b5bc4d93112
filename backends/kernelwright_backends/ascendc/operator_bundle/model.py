"""Section `model_src`: the Python class `ModelNew` that calls the operator. Followed, not executed.

Its forward may look at shapes, allocate, reshape and call the bundle's operator; whatever computes is a finding.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kernelwright_backends.ascendc.operator_bundle.values import NONE, Value, merged, opaque, scalar
from kernelwright_backends.interfaces.operator_bundle import Problem
from kernelwright_backends.untrusted.parsing import parse_python

SECTION = "model_src"
_LIBRARY = "custom_ops_lib"
_ALLOCATING = {
    "empty", "empty_like", "empty_strided", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "tensor", "as_tensor",
    "arange", "linspace",
}  # fmt: skip
_PLAIN_TORCH = {
    "device", "Size", "is_tensor", "is_grad_enabled", "no_grad", "inference_mode", "manual_seed", "set_grad_enabled", "finfo", "iinfo",
    "get_default_dtype", "is_floating_point", "numel",
}  # fmt: skip
_SAME = {"contiguous", "detach", "clone", "npu", "requires_grad_", "cuda"}
_CONVERTING = {
    "float": "float32", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64", "bool": "bool", "double": "float64",
}  # fmt: skip
_RESHAPING = {
    "view", "reshape", "flatten", "unsqueeze", "squeeze", "expand", "expand_as", "permute", "transpose", "t", "narrow", "view_as",
    "movedim", "swapaxes", "unflatten", "as_strided", "to", "type", "unbind", "split", "chunk", "select", "T", "mT", "data",
    "broadcast_to", "broadcast_tensors", "broadcast_shapes",
}  # fmt: skip
_KEEPING = {"view", "reshape", "flatten", "unsqueeze", "squeeze", "view_as", "unflatten", "data"}
_TOLD = {
    "size", "stride", "numel", "dim", "ndimension", "is_contiguous", "element_size", "storage_offset", "data_ptr", "get_device", "item",
    "tolist", "is_floating_point", "nelement", "untyped_storage", "type_as",
}  # fmt: skip
_TOLD_ATTRIBUTES = {
    "shape", "dtype", "device", "ndim", "is_npu", "is_cuda", "is_cpu", "requires_grad", "layout", "itemsize", "nbytes", "grad",
    "is_contiguous",
}  # fmt: skip
_BUILTINS = {
    "min", "max", "abs", "len", "range", "int", "float", "bool", "list", "tuple", "str", "type", "isinstance", "print", "enumerate",
    "zip", "map", "filter", "sorted", "reversed", "hasattr", "getattr", "setattr", "super", "round", "repr", "dict", "set", "any", "all",
    "ValueError", "RuntimeError", "TypeError", "AssertionError", "NotImplementedError", "Exception", "KeyError", "IndexError",
    "issubclass", "callable", "id", "iter", "next", "slice", "divmod", "format", "warn",
}  # fmt: skip
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
_COMPUTING_LIBRARIES = {
    "numpy",
    "scipy",
    "cupy",
    "jax",
    "numba",
    "triton",
    "tensorflow",
    "einops",
    "pandas",
    "torchvision",
}
_HARMLESS_OS = {"environ", "path", "getenv", "getcwd"}
_TYPES = {"float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool"}
_TYPE_NAMES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
}
_DEEPEST = 8


@dataclass(frozen=True)
class LibraryCall:
    """A call of the extension: `name` as Python sees it."""

    name: str
    arguments: tuple[Value, ...]
    result: Value
    problem_place: Problem


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


@dataclass
class _Frame:
    names: dict[str, Value] = field(default_factory=dict)
    returned: list[Value] = field(default_factory=list)
    initialising: bool = False
    depth: int = 0


class _Model:
    def __init__(
        self, text: str, tree: ast.Module, forward: Sequence[str], init: Sequence[str], names: Sequence[str]
    ) -> None:
        self._lines = text.split("\n")
        self._tree, self._forward, self._init, self._offered = tree, forward, init, set(names)
        self._problems: list[Problem] = []
        self._calls: list[LibraryCall] = []
        self._globals: dict[str, Value] = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        self._methods: dict[str, ast.FunctionDef] = {}
        self._self: dict[str, Value] = {}
        self._parameters: list[str] = []
        self._looping = 0
        self._initialising = False

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
        elif _certainly_other(returned) or (
            returned.kind == "items" and all(_certainly_other(i) for i in returned.items)
        ):
            message = "the result of forward does not come from the operator"
            self._problem(forward, message, "HACK_NO_KERNEL", name=True)

    # ---- places ------------------------------------------------------------------------------------------------------

    def _problem(self, node: ast.AST, message: str, code: str | None = None, *, name: bool = False) -> None:
        self._problems.append(self._place(node, message, code, name=name))

    def _place(self, node: ast.AST, message: str, code: str | None = None, *, name: bool = False) -> Problem:
        line, end_line = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        column = self._column(line, getattr(node, "col_offset", 0))
        if name or end_line is None:
            end_line, end_column = line, len(self._lines[line - 1]) + 1
        else:
            end_column = self._column(end_line, getattr(node, "end_col_offset", 1))
        return Problem(SECTION, message, line, column, end_line, end_column, code)

    def _column(self, line: int, byte: int) -> int:
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return len(text.encode()[:byte].decode(errors="ignore")) + 1

    # ---- the module --------------------------------------------------------------------------------------------------

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
        frame = _Frame(self._globals)
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
            value = self._value(target.value, _Frame(self._globals))
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

    # ---- functions ---------------------------------------------------------------------------------------------------

    def _enter(
        self, function: ast.FunctionDef, given: Sequence[Value], keywords: dict[str, Value] | None = None,
        *, initialising: bool = False, depth: int = 0, method: bool = True,
    ) -> Value:  # fmt: skip
        frame = _Frame(initialising=initialising, depth=depth)
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
        around = next((v for v in returned if v.is_tensor and _certainly_other(v)), None)
        if around is not None:
            # A way round the operator is one, whatever the condition says.
            return around
        return opaque("it depends on a condition", tensor=True)

    def _block(self, body: Sequence[ast.stmt], frame: _Frame) -> None:
        for statement in body:
            self._statement(statement, frame)
            if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                return

    def _statement(self, node: ast.stmt, frame: _Frame) -> None:
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
                        _Frame(dict(frame.names), frame.returned, frame.initialising, frame.depth),
                    )
                self._block(last, frame)
            case ast.Assert(test=test):
                self._value(test, frame)
            case ast.FunctionDef():
                self._functions[node.name] = node
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Raise() | ast.Global() | ast.Nonlocal():
                pass

    def _branch(self, test: ast.expr, body: list[ast.stmt], other: list[ast.stmt], frame: _Frame) -> None:
        truth = self._truth(test, frame)
        if truth is not None:
            self._block(body if truth else other, frame)
            # What is not taken with these values may be taken with others: it must be legitimate too.
            self._block(
                other if truth else body, _Frame(dict(frame.names), [], frame.initialising, frame.depth)
            )
            return
        before, calls = dict(frame.names), len(self._calls)
        kept = dict(self._self)
        self._block(body, frame)
        after, inner = dict(frame.names), dict(self._self)
        frame.names = dict(before)
        self._self = kept
        self._block(other, frame)
        why = f"it depends on '{_short(ast.unparse(test))}'"
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
        self, body: list[ast.stmt], other: list[ast.stmt], frame: _Frame, target: ast.expr | None = None, iterated: Value = NONE
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

    def _assign(self, target: ast.expr, value: Value, frame: _Frame) -> None:
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

    def _owned(self, name: str, value: Value) -> Value:
        """What `self.name = value` makes of it: a parameter and a module have names of their own."""
        if value.kind == "tensor" and value.text == "":
            self._parameters.append(name)
            return Value("tensor", name)
        if value.kind == "module" and value.text.startswith("nn."):
            return Value("module", f"{value.text}:{name}")
        return value

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _truth(self, node: ast.expr, frame: _Frame) -> bool | None:
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                known = self._truth(inner, frame)
                return None if known is None else not known
            case ast.Compare(
                left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
            ):
                value = self._value(left, frame)
                if value.kind == "opaque" and not value.tensor:
                    return None
                return (value.kind == "none") == isinstance(op, ast.Is)
            case ast.Constant(value=value):
                return bool(value)
            case ast.Call(func=ast.Attribute(value=inner, attr="is_contiguous")):
                return True if self._value(inner, frame).kind == "tensor" else None
            case ast.BoolOp(op=op, values=values):
                known_values = [self._truth(v, frame) for v in values]
                decided = isinstance(op, ast.Or)
                if decided in known_values:
                    return decided
                return None if None in known_values else not decided
        value = self._value(node, frame)
        if value.kind == "scalar" and value.text in ("True", "False"):
            return value.text == "True"
        return None

    def _value(self, node: ast.expr, frame: _Frame) -> Value:
        match node:
            case ast.Constant(value=value):
                if value is None:
                    return NONE
                if isinstance(value, (bool, int, float)):
                    return scalar(repr(value))
                return Value("opaque", f"'{value}'" if isinstance(value, str) else repr(value))
            case ast.Name(id=name):
                if name in frame.names:
                    return frame.names[name]
                if name in self._globals:
                    return self._globals[name]
                return opaque(f"'{name}'")
            case ast.Attribute():
                return self._attribute(node, frame)
            case ast.Call():
                return self._call(node, frame)
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(node, self._value(left, frame), self._value(right, frame), op)
            case ast.UnaryOp(op=op, operand=inner):
                return self._unary(node, self._value(inner, frame), op)
            case ast.Compare(left=left, comparators=comparators, ops=operators):
                values = [self._value(v, frame) for v in (left, *comparators)]
                identity = all(isinstance(o, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for o in operators)
                if not identity and any(v.is_tensor for v in values):
                    return self._arithmetic(node, values[0], values[0], operators[0])
                return opaque(f"'{_short(ast.unparse(node))}'")
            case ast.BoolOp(values=values):
                made = [self._value(v, frame) for v in values]
                return merged(made[0], made[-1], _short(ast.unparse(node)))
            case ast.IfExp(test=test, body=body, orelse=other):
                truth = self._truth(test, frame)
                one, two = self._value(body, frame), self._value(other, frame)
                return (
                    merged(one, two, f"it depends on '{_short(ast.unparse(test))}'")
                    if truth is None
                    else (one if truth else two)
                )
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return Value("items", items=tuple(self._unstarred(elements, frame)))
            case ast.Subscript(value=inner, slice=index):
                return self._subscript(node, self._value(inner, frame), index, frame)
            case (
                ast.ListComp(elt=element, generators=generators)
                | ast.GeneratorExp(elt=element, generators=generators)
            ):
                inner_frame = _Frame(dict(frame.names), [], frame.initialising, frame.depth)
                for generator in generators:
                    iterated = self._value(generator.iter, inner_frame)
                    self._assign(
                        generator.target, opaque("it changes in a loop", iterated.is_tensor), inner_frame
                    )
                    for condition in generator.ifs:
                        self._value(condition, inner_frame)
                self._looping += 1
                made_value = self._value(element, inner_frame)
                self._looping -= 1
                return opaque(f"'{_short(ast.unparse(node))}'", made_value.is_tensor)
            case ast.Lambda(body=body):
                self._value(body, _Frame(dict(frame.names), [], frame.initialising, frame.depth))
                return opaque("a lambda")
            case ast.NamedExpr(target=target, value=value):
                made_value = self._value(value, frame)
                self._assign(target, made_value, frame)
                return made_value
            case ast.Starred(value=inner):
                return self._value(inner, frame)
            case ast.JoinedStr():
                return opaque("a text")
            case ast.Dict(values=values):
                for value_node in values:
                    self._value(value_node, frame)
                return opaque("a dictionary")
        return opaque(f"'{_short(ast.unparse(node))}'")

    def _unstarred(self, elements: Sequence[ast.expr], frame: _Frame) -> Iterator[Value]:
        for element in elements:
            value = self._value(element, frame)
            if isinstance(element, ast.Starred):
                if value.kind == "items":
                    yield from value.items
                else:
                    yield opaque(f"'{_short(ast.unparse(element))}'", value.is_tensor)
            else:
                yield value

    def _arithmetic(self, node: ast.AST, one: Value, other: Value, op: ast.AST) -> Value:
        text = _short(ast.unparse(node))
        if one.is_tensor or other.is_tensor:
            if self._initialising:
                return opaque(f"'{text}'", tensor=True)
            self._problem(
                node,
                f"'{text}' computes with tensors outside of the kernel; do it in the kernel",
                "HACK_OPERATOR",
            )
            return opaque(f"'{text}'", tensor=True)
        signs: dict[type[ast.AST], str] = {
            ast.Add: "+",
            ast.Sub: "-",
            ast.Mult: "*",
            ast.Div: "/",
            ast.FloorDiv: "//",
            ast.Mod: "%",
            ast.Pow: "**",
        }
        sign = signs.get(type(op))
        if one.kind == other.kind == "scalar" and sign is not None:
            return scalar(f"({one.text} {sign} {other.text})")
        return opaque(f"'{text}'")

    def _unary(self, node: ast.UnaryOp, value: Value, op: ast.unaryop) -> Value:
        if value.is_tensor and not isinstance(op, ast.Not):
            return self._arithmetic(node, value, value, op)
        if isinstance(op, ast.USub) and value.kind == "scalar":
            return scalar(f"-{value.text}")
        return opaque(_short(ast.unparse(node)))

    def _attribute(self, node: ast.Attribute, frame: _Frame) -> Value:
        on, name = self._value(node.value, frame), node.attr
        if on.kind == "library":
            return Value("library", f"{on.text}.{name}")
        if on == Value("module", "self"):
            if name in self._self:
                return self._self[name]
            return opaque(f"self.{name}")
        if on.kind == "module" and ":" in on.text:
            module = on.text.split(":")[1]
            if name in ("weight", "bias", "running_mean", "running_var"):
                return Value("tensor", f"{module}.{name}")
            return opaque(f"'{ast.unparse(node)}'")
        if on.is_tensor:
            if name == "shape" and on.kind == "tensor" and "(" not in on.text:
                return scalar(f"{on.text}.shape")
            if name == "ndim" and on.kind == "tensor" and "(" not in on.text:
                return scalar(f"{on.text}.ndim")
            if name in _KEEPING and on.kind in ("tensor", "result"):
                return on
            if name in _TOLD_ATTRIBUTES:
                return opaque(f"'{ast.unparse(node)}'")
            return opaque(f"'{ast.unparse(node)}'", tensor=True)
        return opaque(f"'{ast.unparse(node)}'")

    def _subscript(self, node: ast.Subscript, on: Value, index: ast.expr, frame: _Frame) -> Value:
        position = self._value(index, frame)
        whole = position.kind == "scalar" and position.text.lstrip("-").isdigit()
        if on.kind == "items" and whole and -len(on.items) <= int(position.text) < len(on.items):
            return on.items[int(position.text)]
        if on.kind == "scalar" and on.text.endswith(".shape") and whole:
            return scalar(f"{on.text}[{position.text}]")
        return opaque(f"'{_short(ast.unparse(node))}'", on.is_tensor)

    def _call(self, node: ast.Call, frame: _Frame) -> Value:
        arguments = list(self._unstarred(node.args, frame))
        keywords = {k.arg: self._value(k.value, frame) for k in node.keywords if k.arg}
        for keyword in node.keywords:
            if keyword.arg is None:
                self._value(keyword.value, frame)
        if isinstance(node.func, ast.Attribute):
            on = self._value(node.func.value, frame)
            if on == Value("module", "self"):
                return self._own(node, node.func.attr, arguments, keywords, frame)
            if on.is_tensor and on.kind != "library":
                return self._method(node, on, node.func.attr, arguments, keywords)
        called = self._value(node.func, frame)
        if called.kind == "library":
            return self._library(node, called.text, arguments, keywords, frame)
        if called.kind == "module" and called.text.startswith("nn."):
            return self._module_call(node, called, frame)
        if isinstance(node.func, ast.Name):
            return self._named(node, node.func.id, arguments, keywords, frame)
        if any(a.is_tensor for a in (*arguments, *keywords.values())) and not frame.initialising:
            return opaque(f"'{_short(ast.unparse(node))}' cannot be followed", tensor=True)
        return opaque(f"'{_short(ast.unparse(node))}'")

    def _own(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: _Frame
    ) -> Value:
        """A method of ModelNew, or a module that it holds."""
        if name in self._self:
            held = self._self[name]
            if held.kind == "module":
                return self._module_call(node, held, frame)
            if held.kind == "library":
                return self._library(node, held.text, arguments, keywords, frame)
            return opaque(f"'{_short(ast.unparse(node))}' cannot be followed", tensor=True)
        if name == "register_buffer" and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
            self._self[str(node.args[0].value)] = Value("tensor", str(node.args[0].value))
            return NONE
        if name == "register_parameter" and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
            own = str(node.args[0].value)
            self._self[own] = self._owned(own, arguments[1])
            return NONE
        if name in self._methods and frame.depth < _DEEPEST:
            return self._enter(
                self._methods[name],
                arguments,
                keywords,
                initialising=frame.initialising,
                depth=frame.depth + 1,
            )
        return opaque(f"'{_short(ast.unparse(node))}'", tensor=not frame.initialising)

    def _module_call(self, node: ast.Call, held: Value, frame: _Frame) -> Value:
        kind = held.text.split(":")[0].removeprefix("nn.")
        if not frame.initialising and kind not in ("Identity", "ModuleList", "ParameterList"):
            self._problem(node, f"nn.{kind} computes instead of the kernel", "HACK_OPERATOR")
        return opaque(f"'{_short(ast.unparse(node))}'", tensor=True)

    def _named(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: _Frame
    ) -> Value:
        if name == "getattr" and len(node.args) >= 2:
            on, attribute = self._value(node.args[0], frame), self._value(node.args[1], frame)
            if on.kind == "library" and attribute.kind == "opaque" and attribute.text.startswith("'"):
                return Value("library", f"{on.text}.{attribute.text.strip(chr(39))}")
            if on == Value("module", "self") and attribute.text.strip("'") in self._self:
                return self._self[attribute.text.strip("'")]
            return opaque(f"'{_short(ast.unparse(node))}'")
        if name in ("int", "float", "bool", "abs", "min", "max", "round") and len(arguments) >= 1:
            if all(a.kind == "scalar" for a in arguments):
                if name in ("int", "float", "bool"):
                    return arguments[0]
                if name != "round":
                    return scalar(f"{name}({', '.join(a.text for a in arguments)})")
            if any(a.is_tensor for a in arguments) and name in ("abs", "min", "max", "round"):
                return self._arithmetic(node, arguments[0], arguments[0], ast.Load())
            return opaque(f"'{_short(ast.unparse(node))}'")
        if name in ("tuple", "list") and len(arguments) == 1:
            return arguments[0]
        if name == "sum" and any(a.is_tensor for a in arguments):
            return self._arithmetic(node, arguments[0], arguments[0], ast.Load())
        if name in self._functions and frame.depth < _DEEPEST:
            return self._enter(
                self._functions[name], arguments, keywords, initialising=frame.initialising, depth=frame.depth + 1, method=False
            )  # fmt: skip
        tensor = any(a.is_tensor for a in (*arguments, *keywords.values())) and name not in _BUILTINS
        return opaque(f"'{_short(ast.unparse(node))}'", tensor)

    def _method(
        self, node: ast.Call, on: Value, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        text = f"'{_short(ast.unparse(node))}'"
        if name in _SAME and on.kind in ("tensor", "result"):
            return on
        if name in _SAME:
            return opaque(text, tensor=True)
        plain = on.kind == "tensor" and "(" not in on.text
        if name == "size" and plain:
            index = arguments[0] if arguments else keywords.get("dim")
            return (
                scalar(f"{on.text}.shape[{index.text}]")
                if index and index.kind == "scalar"
                else scalar(f"{on.text}.shape")
            )
        if name in ("dim", "ndimension") and plain:
            return scalar(f"{on.text}.ndim")
        if name in ("numel", "nelement") and plain:
            return scalar(f"{on.text}.numel()")
        if name in ("cpu", "numpy"):
            self._problem(node, f"{text} copies a tensor to the host", "HACK_HOST")
            return opaque(text, tensor=True)
        if name in _CONVERTING and plain:
            return Value("tensor", f"as({_CONVERTING[name]}, {on.text})")
        if name == "to" and on.kind in ("tensor", "result"):
            return self._converted(on, node, text)
        if on.kind == "result" and name in _KEEPING:
            return on
        if name in _RESHAPING and (on.kind == "tensor" or on.elsewhere):
            return Value("opaque", text, tensor=True, elsewhere=True)
        if name in _RESHAPING | _TOLD | set(_CONVERTING) | {
            "new_empty",
            "new_zeros",
            "new_ones",
            "new_full",
            "zero_",
            "fill_",
        }:
            return opaque(text, tensor=name not in _TOLD)
        if not self._initialising:
            self._problem(
                node,
                f"{text} computes with a tensor outside of the kernel; do it in the kernel",
                "HACK_OPERATOR",
            )
        return opaque(text, tensor=True)

    def _converted(self, on: Value, node: ast.Call, text: str) -> Value:
        """`.to(...)`: to the device, which changes nothing here, or to another element type."""
        for argument in (*node.args, *(k.value for k in node.keywords if k.arg == "dtype")):
            spelled = ast.unparse(argument)
            name = spelled.removeprefix("torch.")
            name = _TYPE_NAMES.get(name, name)
            if name in _TYPES and spelled.startswith("torch."):
                plain = on.kind == "tensor" and "(" not in on.text
                return Value("tensor", f"as({name}, {on.text})") if plain else opaque(text, tensor=True)
            if "cpu" in spelled:
                self._problem(node, f"{text} copies a tensor to the host", "HACK_HOST")
            elif "dtype" in spelled:
                return opaque(text, tensor=True)
        return on

    def _library(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: _Frame
    ) -> Value:
        root, _, rest = name.partition(".")
        text = f"'{_short(ast.unparse(node))}'"
        tensors = any(a.is_tensor for a in (*arguments, *keywords.values()))
        last = name.rsplit(".", 1)[-1]
        operator = root == _LIBRARY or (name.startswith("torch.ops.") and last in self._offered)
        if operator and rest:
            return self._operator(node, last, arguments, keywords, frame)
        if (
            root == "torch_npu"
            and rest
            and not rest.startswith(("npu.", "synchronize"))
            and not frame.initialising
        ):
            self._problem(node, f"{name} is an operator of CANN; compute this in the kernel", "HACK_OPERATOR")
            return opaque(text, tensor=True)
        if root in ("torch", "torch_npu"):
            return self._torch(node, name, tensors, frame)
        if root == "os" and rest.split(".")[0] not in _HARMLESS_OS:
            self._problem(node, f"{name} is not allowed in a model", "HACK_EVASION")
        elif root in _COMPUTING_LIBRARIES and not frame.initialising:
            self._problem(node, f"{name} computes instead of the kernel", "HACK_LIBRARY")
            return opaque(text, tensor=True)
        elif root == "math" and not tensors:
            return opaque(text)
        return opaque(text, tensor=tensors)

    def _torch(self, node: ast.Call, name: str, tensors: bool, frame: _Frame) -> Value:
        text, last = f"'{_short(ast.unparse(node))}'", name.rsplit(".", 1)[-1]
        if name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter") and frame.initialising:
            return Value("tensor", "")
        if name.startswith("torch.nn.") and last[:1].isupper():
            if not frame.initialising:
                self._problem(node, f"{name} computes instead of the kernel", "HACK_OPERATOR")
            return Value("module", f"nn.{last}")
        if frame.initialising:
            return opaque(text, tensor=True)
        if name.count(".") == 1 and last in _ALLOCATING:
            return Value("opaque", text, tensor=True, elsewhere=True)
        if name.count(".") == 1 and last in _RESHAPING:
            return opaque(text, tensor=True)
        if last in _PLAIN_TORCH or name.startswith(
            ("torch.npu.", "torch_npu.npu.", "torch.cuda.", "torch.utils.")
        ):
            return opaque(text)
        if name.startswith("torch.jit."):
            return opaque(text)
        self._problem(node, f"{name} computes instead of the kernel", "HACK_OPERATOR")
        return opaque(text, tensor=True)

    def _operator(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: _Frame
    ) -> Value:
        if frame.initialising:
            self._problem(
                node, "__init__ calls the operator, whose result would be kept for forward", "HACK_CACHED"
            )
        if self._looping:
            self._problem(node, "the operator is called in a loop")
        if keywords:
            self._problem(node, "the operator is called with keywords; write its arguments in order")
        result = Value("result", name, output=0)
        self._calls.append(LibraryCall(name, tuple(arguments), result, self._place(node, "")))
        return result


def _certainly_other(value: Value) -> bool:
    """Is this no result of an operator of the bundle?"""
    return value.kind in ("tensor", "none", "scalar") or value.elsewhere


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
