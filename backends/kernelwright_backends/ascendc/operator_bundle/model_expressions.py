"""What an expression of section `model_src` stands for: a tensor of the task, a number, a result of the operator, or what computes."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kernelwright_backends.ascendc.operator_bundle.model_words import (
    ALLOCATING,
    BUILTINS,
    COMPUTING_LIBRARIES,
    CONVERTING,
    HARMLESS_OS,
    KEEPING,
    LIBRARY,
    PLAIN_TORCH,
    RESHAPING,
    SAME,
    TOLD,
    TOLD_ATTRIBUTES,
    TYPE_NAMES,
    TYPES,
)
from kernelwright_backends.ascendc.operator_bundle.values import NONE, Value, merged, opaque, scalar, short
from kernelwright_backends.interfaces.operator_bundle import Problem

SECTION = "model_src"
_DEEPEST = 8


@dataclass(frozen=True)
class LibraryCall:
    """A call of the extension: `name` as Python sees it."""

    name: str
    arguments: tuple[Value, ...]
    result: Value
    problem_place: Problem


@dataclass
class Frame:
    """A function that is being followed."""

    names: dict[str, Value] = field(default_factory=dict)
    returned: list[Value] = field(default_factory=list)
    initialising: bool = False
    depth: int = 0


class Expressions:
    """Expressions of one module; who follows its statements says what a function that is called does."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        self._lines = text.split("\n")
        self._offered = set(names)
        self._problems: list[Problem] = []
        self._calls: list[LibraryCall] = []
        self._functions: dict[str, ast.FunctionDef] = {}
        self._globals: dict[str, Value] = {}
        self._methods: dict[str, ast.FunctionDef] = {}
        self._self: dict[str, Value] = {}
        self._parameters: list[str] = []
        self._looping = 0
        self._initialising = False

    def _enter(
        self, function: ast.FunctionDef, given: Sequence[Value], keywords: dict[str, Value] | None = None,
        *, initialising: bool = False, depth: int = 0, method: bool = True,
    ) -> Value:  # fmt: skip
        """What a call of a function of the module returns."""
        raise NotImplementedError

    def _assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Names get their values."""
        raise NotImplementedError

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

    def _owned(self, name: str, value: Value) -> Value:
        """What `self.name = value` makes of it: a parameter and a module have names of their own."""
        if value.kind == "tensor" and value.text == "":
            self._parameters.append(name)
            return Value("tensor", name)
        if value.kind == "module" and value.text.startswith("nn."):
            return Value("module", f"{value.text}:{name}")
        return value

    def _truth(self, node: ast.expr, frame: Frame) -> bool | None:
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

    def _value(self, node: ast.expr, frame: Frame) -> Value:
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
                return opaque(f"'{short(ast.unparse(node))}'")
            case ast.BoolOp(values=values):
                made = [self._value(v, frame) for v in values]
                return merged(made[0], made[-1], short(ast.unparse(node)))
            case ast.IfExp(test=test, body=body, orelse=other):
                truth = self._truth(test, frame)
                one, two = self._value(body, frame), self._value(other, frame)
                return (
                    merged(one, two, f"it depends on '{short(ast.unparse(test))}'")
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
                inner_frame = Frame(dict(frame.names), [], frame.initialising, frame.depth)
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
                return opaque(f"'{short(ast.unparse(node))}'", made_value.is_tensor)
            case ast.Lambda(body=body):
                self._value(body, Frame(dict(frame.names), [], frame.initialising, frame.depth))
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
        return opaque(f"'{short(ast.unparse(node))}'")

    def _unstarred(self, elements: Sequence[ast.expr], frame: Frame) -> Iterator[Value]:
        for element in elements:
            value = self._value(element, frame)
            if isinstance(element, ast.Starred):
                if value.kind == "items":
                    yield from value.items
                else:
                    yield opaque(f"'{short(ast.unparse(element))}'", value.is_tensor)
            else:
                yield value

    def _arithmetic(self, node: ast.AST, one: Value, other: Value, op: ast.AST) -> Value:
        text = short(ast.unparse(node))
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
        return opaque(short(ast.unparse(node)))

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
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
            if name in KEEPING and on.kind in ("tensor", "result"):
                return on
            if name in TOLD_ATTRIBUTES:
                return opaque(f"'{ast.unparse(node)}'")
            return opaque(f"'{ast.unparse(node)}'", tensor=True)
        return opaque(f"'{ast.unparse(node)}'")

    def _subscript(self, node: ast.Subscript, on: Value, index: ast.expr, frame: Frame) -> Value:
        position = self._value(index, frame)
        whole = position.kind == "scalar" and position.text.lstrip("-").isdigit()
        if on.kind == "items" and whole and -len(on.items) <= int(position.text) < len(on.items):
            return on.items[int(position.text)]
        if on.kind == "scalar" and on.text.endswith(".shape") and whole:
            return scalar(f"{on.text}[{position.text}]")
        return opaque(f"'{short(ast.unparse(node))}'", on.is_tensor)

    def _call(self, node: ast.Call, frame: Frame) -> Value:
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
            return opaque(f"'{short(ast.unparse(node))}' cannot be followed", tensor=True)
        return opaque(f"'{short(ast.unparse(node))}'")

    def _own(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: Frame
    ) -> Value:
        """A method of ModelNew, or a module that it holds."""
        if name in self._self:
            held = self._self[name]
            if held.kind == "module":
                return self._module_call(node, held, frame)
            if held.kind == "library":
                return self._library(node, held.text, arguments, keywords, frame)
            return opaque(f"'{short(ast.unparse(node))}' cannot be followed", tensor=True)
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
        return opaque(f"'{short(ast.unparse(node))}'", tensor=not frame.initialising)

    def _module_call(self, node: ast.Call, held: Value, frame: Frame) -> Value:
        kind = held.text.split(":")[0].removeprefix("nn.")
        if not frame.initialising and kind not in ("Identity", "ModuleList", "ParameterList"):
            self._problem(node, f"nn.{kind} computes instead of the kernel", "HACK_OPERATOR")
        return opaque(f"'{short(ast.unparse(node))}'", tensor=True)

    def _named(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: Frame
    ) -> Value:
        if name == "getattr" and len(node.args) >= 2:
            on, attribute = self._value(node.args[0], frame), self._value(node.args[1], frame)
            if on.kind == "library" and attribute.kind == "opaque" and attribute.text.startswith("'"):
                return Value("library", f"{on.text}.{attribute.text.strip(chr(39))}")
            if on == Value("module", "self") and attribute.text.strip("'") in self._self:
                return self._self[attribute.text.strip("'")]
            return opaque(f"'{short(ast.unparse(node))}'")
        if name in ("int", "float", "bool", "abs", "min", "max", "round") and len(arguments) >= 1:
            if all(a.kind == "scalar" for a in arguments):
                if name in ("int", "float", "bool"):
                    return arguments[0]
                if name != "round":
                    return scalar(f"{name}({', '.join(a.text for a in arguments)})")
            if any(a.is_tensor for a in arguments) and name in ("abs", "min", "max", "round"):
                return self._arithmetic(node, arguments[0], arguments[0], ast.Load())
            return opaque(f"'{short(ast.unparse(node))}'")
        if name in ("tuple", "list") and len(arguments) == 1:
            return arguments[0]
        if name == "sum" and any(a.is_tensor for a in arguments):
            return self._arithmetic(node, arguments[0], arguments[0], ast.Load())
        if name in self._functions and frame.depth < _DEEPEST:
            return self._enter(
                self._functions[name], arguments, keywords, initialising=frame.initialising, depth=frame.depth + 1, method=False
            )  # fmt: skip
        tensor = any(a.is_tensor for a in (*arguments, *keywords.values())) and name not in BUILTINS
        return opaque(f"'{short(ast.unparse(node))}'", tensor)

    def _method(
        self, node: ast.Call, on: Value, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        text = f"'{short(ast.unparse(node))}'"
        if name in SAME and on.kind in ("tensor", "result"):
            return on
        if name in SAME:
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
        if name in CONVERTING and plain:
            return Value("tensor", f"as({CONVERTING[name]}, {on.text})")
        if name == "to" and on.kind in ("tensor", "result"):
            return self._converted(on, node, text)
        if on.kind == "result" and name in KEEPING:
            return on
        if name in RESHAPING and (on.kind == "tensor" or on.elsewhere):
            return Value("opaque", text, tensor=True, elsewhere=True)
        if name in RESHAPING | TOLD | set(CONVERTING) | {
            "new_empty",
            "new_zeros",
            "new_ones",
            "new_full",
            "zero_",
            "fill_",
        }:
            return opaque(text, tensor=name not in TOLD)
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
            name = TYPE_NAMES.get(name, name)
            if name in TYPES and spelled.startswith("torch."):
                plain = on.kind == "tensor" and "(" not in on.text
                return Value("tensor", f"as({name}, {on.text})") if plain else opaque(text, tensor=True)
            if "cpu" in spelled:
                self._problem(node, f"{text} copies a tensor to the host", "HACK_HOST")
            elif "dtype" in spelled:
                return opaque(text, tensor=True)
        return on

    def _library(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: Frame
    ) -> Value:
        root, _, rest = name.partition(".")
        text = f"'{short(ast.unparse(node))}'"
        tensors = any(a.is_tensor for a in (*arguments, *keywords.values()))
        last = name.rsplit(".", 1)[-1]
        operator = root == LIBRARY or (name.startswith("torch.ops.") and last in self._offered)
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
        if root == "os" and rest.split(".")[0] not in HARMLESS_OS:
            self._problem(node, f"{name} is not allowed in a model", "HACK_EVASION")
        elif root in COMPUTING_LIBRARIES and not frame.initialising:
            self._problem(node, f"{name} computes instead of the kernel", "HACK_LIBRARY")
            return opaque(text, tensor=True)
        elif root == "math" and not tensors:
            return opaque(text)
        return opaque(text, tensor=tensors)

    def _torch(self, node: ast.Call, name: str, tensors: bool, frame: Frame) -> Value:
        text, last = f"'{short(ast.unparse(node))}'", name.rsplit(".", 1)[-1]
        if name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter") and frame.initialising:
            return Value("tensor", "")
        if name.startswith("torch.nn.") and last[:1].isupper():
            if not frame.initialising:
                self._problem(node, f"{name} computes instead of the kernel", "HACK_OPERATOR")
            return Value("module", f"nn.{last}")
        if frame.initialising:
            return opaque(text, tensor=True)
        if name.count(".") == 1 and last in ALLOCATING:
            return Value("opaque", text, tensor=True, elsewhere=True)
        if name.count(".") == 1 and last in RESHAPING:
            return opaque(text, tensor=True)
        if last in PLAIN_TORCH or name.startswith(
            ("torch.npu.", "torch_npu.npu.", "torch.cuda.", "torch.utils.")
        ):
            return opaque(text)
        if name.startswith("torch.jit."):
            return opaque(text)
        self._problem(node, f"{name} computes instead of the kernel", "HACK_OPERATOR")
        return opaque(text, tensor=True)

    def _operator(
        self, node: ast.Call, name: str, arguments: list[Value], keywords: dict[str, Value], frame: Frame
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
