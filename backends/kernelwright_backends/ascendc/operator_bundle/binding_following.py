"""What a call from Python does in section `python_bind_src`, statement by statement: which operators it executes, on what."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from kernelwright_backends.ascendc.operator_bundle.binding_words import (
    ALLOCATING,
    FILLING,
    KEEPING,
    SAME,
    TOLD,
    TORCH,
    ZEROING,
)
from kernelwright_backends.ascendc.operator_bundle.bridge import (
    Bridge,
    Function,
    all_nodes,
    method_of,
    name_of,
)
from kernelwright_backends.ascendc.operator_bundle.values import (
    NONE,
    OperatorCall,
    Value,
    merged,
    opaque,
    scalar,
    short,
)
from kernelwright_backends.interfaces.operator_bundle import Problem


def follow_binding(
    bridge: Bridge, python_name: str, given: Sequence[Value]
) -> tuple[list[OperatorCall], Value, list[Problem]]:
    """The operators that a call from Python executes, what it returns, and what could not be followed."""
    function = bridge.registered_function(python_name)
    walk = _Walk(bridge, function)
    if len(given) > len(function.parameters):
        taken, listed = len(function.parameters), len(given)
        message = f"{python_name} takes {taken} argument{'s' if taken != 1 else ''}, model_src gives {listed}"
        return [], NONE, [bridge.problem(function.node, message)]
    for position, (name, kind, default) in enumerate(function.parameters):
        if position < len(given):
            walk.names[name] = _as_number(given[position], kind)
        elif default is not None:
            walk.names[name] = walk.value(default)
        elif "optional" in kind:
            walk.names[name] = NONE
        else:
            message = f"model_src gives no value for '{name}' of {python_name}"
            return [], NONE, [bridge.problem(function.node, message)]
    body = function.node.child_by_field_name("body")
    if body is not None:
        walk.block(body)
    return walk.calls, walk.returned or NONE, walk.problems


class _Walk:
    """One function, statement by statement."""

    def __init__(self, bridge: Bridge, function: Function) -> None:
        self._bridge, self._function = bridge, function
        self.names: dict[str, Value] = {}
        self.calls: list[OperatorCall] = []
        self.problems: list[Problem] = []
        self.returned: Value | None = None
        self._outputs = 0

    def _text(self, node: Node) -> str:
        return self._bridge.text(node)

    def block(self, node: Node) -> None:
        for child in node.named_children:
            if self.returned is not None:
                return
            self._statement(child)

    def _statement(self, node: Node) -> None:
        match node.type:
            case "compound_statement":
                self.block(node)
            case "declaration":
                for child in node.named_children:
                    if child.type == "init_declarator":
                        name, made = (
                            child.child_by_field_name("declarator"),
                            child.child_by_field_name("value"),
                        )
                        if name is not None and made is not None:
                            kind = node.child_by_field_name("type")
                            value = self.value(made)
                            if (
                                kind is not None
                                and re.search(r"\bTensor\b", self._text(kind))
                                and not value.is_tensor
                            ):
                                value = value if value.kind == "none" else opaque(value.text, tensor=True)
                            self.names[re.sub(r"[&*\s]", "", self._text(name))] = value
                    elif child.type == "identifier":
                        self.names[self._text(child)] = opaque(
                            f"'{self._text(child)}' is assigned later", "Tensor" in self._text(node)
                        )
            case "expression_statement":
                for child in node.named_children:
                    self._effect(child)
            case "return_statement":
                made = next((c for c in node.named_children if c.type != "comment"), None)
                self.returned = self.value(made) if made is not None else NONE
            case "if_statement":
                self._branch(node)
            case (
                "for_statement"
                | "while_statement"
                | "do_statement"
                | "for_range_loop"
                | "try_statement"
                | "switch_statement"
            ):
                before, calls = dict(self.names), len(self.calls)
                body = node.child_by_field_name("body")
                if body is not None:
                    self._statement(body)
                if len(self.calls) > calls and node.type != "try_statement":
                    self.problems.append(self._bridge.problem(node, "the operator is called in a loop"))
                if node.type != "try_statement":
                    for known, value in before.items():
                        self.names[known] = merged(
                            value, self.names.get(known), f"'{known}' changes in a loop"
                        )

    def _branch(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        truth = self._truth(condition) if condition is not None else None
        taken, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if truth is not None:
            chosen = taken if truth else other
            if chosen is not None:
                self._inside(chosen)
            return
        before, calls, returned = dict(self.names), len(self.calls), self.returned
        outcomes = []
        for branch in (taken, other):
            self.names, self.returned = dict(before), returned
            if branch is not None:
                self._inside(branch)
            outcomes.append((self.names, self.returned, _throws(branch) if branch is not None else False))
        alive = [(names, value) for names, value, throws in outcomes if not throws] or [(before, NONE)]
        self.names, self.returned = alive[0]
        if len(alive) == 2:
            why = (
                f"it depends on '{short(self._text(condition))}'"
                if condition is not None
                else "it depends on a condition"
            )
            self.names = {name: merged(alive[0][0].get(name), alive[1][0].get(name), why) for name in before}
            if alive[0][1] is not None or alive[1][1] is not None:
                self.returned = alive[0][1] if alive[0][1] == alive[1][1] else None
        if len(self.calls) > calls:
            self.problems.append(
                self._bridge.problem(node, "which operator is called depends on a condition")
            )

    def _inside(self, branch: Node) -> None:
        if branch.type == "else_clause":
            for child in branch.named_children:
                self._statement(child)
        else:
            self._statement(branch)

    def _effect(self, node: Node) -> None:
        if node.type == "call_expression":
            operator = self._bridge.executed(node)
            if operator is not None:
                given = node.child_by_field_name("arguments")
                arguments = [a for a in given.named_children if a.type != "comment"][1:] if given else []
                values = tuple(self.value(a) for a in arguments)
                row, column = node.start_point
                self.calls.append(OperatorCall(operator, values, row + 1, column + 1))
                return
            called = node.child_by_field_name("function")
            if called is not None and called.type == "field_expression":
                on, name = method_of(self._bridge, called)
                if on is not None and name in FILLING and on.type == "identifier":
                    known = self.names.get(self._text(on))
                    if known is not None and known.kind == "result":
                        self.names[self._text(on)] = Value(
                            "result", known.text, output=known.output, zeroed=FILLING[name]
                        )
                    return
            self.value(node)
        elif node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None and left.type == "identifier":
                self.names[self._text(left)] = self.value(right)

    def value(self, node: Node) -> Value:
        """What is known of an expression."""
        text = self._text(node)
        match node.type:
            case "identifier":
                if text in self.names:
                    return self.names[text]
                return NONE if text in ("nullopt", "NULL") else opaque(f"'{text}' is unknown")
            case "number_literal":
                return _number(text)
            case "true" | "false":
                return scalar(text.capitalize())
            case "null" | "nullptr":
                return NONE
            case "parenthesized_expression" | "argument_list" if len(node.named_children) == 1:
                inner = self.value(node.named_children[0])
                return (
                    scalar(f"({inner.text})")
                    if inner.kind == "scalar" and "(" not in inner.text[:1]
                    else inner
                )
            case "cast_expression":
                inner_node = node.child_by_field_name("value")
                return self.value(inner_node) if inner_node is not None else opaque(f"'{text}' is unknown")
            case "conditional_expression":
                return self._choice(node)
            case "binary_expression":
                return self._binary(node)
            case "unary_expression":
                inner = self.value(node.named_children[0]) if node.named_children else NONE
                return (
                    scalar(f"-{inner.text}")
                    if text.startswith("-") and inner.kind == "scalar"
                    else opaque(f"'{short(text)}'")
                )
            case "pointer_expression":
                return self.value(node.named_children[0]) if node.named_children else NONE
            case "qualified_identifier":
                return NONE if text.endswith("nullopt") else opaque(f"'{text}' is unknown")
            case "subscript_expression":
                return self._subscript(node)
            case "initializer_list":
                return Value("items", items=tuple(self.value(c) for c in node.named_children))
            case "call_expression":
                return self._call(node)
        return opaque(f"'{short(text)}' cannot be followed")

    def _choice(self, node: Node) -> Value:
        parts = [node.child_by_field_name(n) for n in ("condition", "consequence", "alternative")]
        if any(p is None for p in parts):
            return opaque(f"'{short(self._text(node))}'")
        condition, yes, no = (p for p in parts if p is not None)
        truth = self._truth(condition)
        if truth is not None:
            return self.value(yes if truth else no)
        return merged(self.value(yes), self.value(no), f"it depends on '{short(self._text(condition))}'")

    def _truth(self, node: Node) -> bool | None:
        text = re.sub(r"\s", "", self._text(node))
        match node.type:
            case "condition_clause" | "parenthesized_expression":
                return self._truth(node.named_children[0]) if node.named_children else None
            case "unary_expression" if text.startswith("!"):
                inner = self._truth(node.named_children[0])
                return None if inner is None else not inner
            case "binary_expression":
                left, right = (self._truth(c) for c in node.named_children[:2])
                if "&&" in text:
                    return False if False in (left, right) else (None if None in (left, right) else True)
                if "||" in text:
                    return True if True in (left, right) else (None if None in (left, right) else False)
            case "call_expression":
                called = node.child_by_field_name("function")
                if called is not None and called.type == "field_expression":
                    on, name = method_of(self._bridge, called)
                    if on is not None and name in ("has_value", "defined"):
                        known = self.value(on)
                        return None if known.kind == "opaque" and not known.tensor else known.kind != "none"
                    if on is not None and name == "is_contiguous" and self.value(on).kind == "tensor":
                        return True
            case "identifier":
                value = self.names.get(self._text(node))
                if value is not None and value.kind in ("none", "tensor"):
                    return value.kind == "tensor"
                return {"True": True, "False": False}.get(value.text) if value is not None else None
            case "true" | "false":
                return text == "true"
        return None

    def _binary(self, node: Node) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return opaque(f"'{short(self._text(node))}'")
        one, other, sign = self.value(left), self.value(right), self._text(operator)
        if one.kind == other.kind == "scalar" and sign in ("+", "-", "*"):
            return scalar(f"({one.text} {sign} {other.text})")
        if one.kind == other.kind == "scalar" and sign == "/":
            whole = not any(
                "." in v.text and not re.search(r"shape|numel|ndim|size", v.text) for v in (one, other)
            )
            return scalar(f"({one.text} {'//' if whole else '/'} {other.text})")
        return opaque(f"'{short(self._text(node))}' cannot be followed")

    def _subscript(self, node: Node) -> Value:
        on, index = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if on is None or index is None:
            return opaque(f"'{short(self._text(node))}'")
        base, position = self.value(on), self.value(index)
        if base.kind == "scalar" and base.text.endswith(".shape") and position.kind == "scalar":
            return scalar(f"{base.text}[{position.text}]")
        if (
            base.kind == "items"
            and position.kind == "scalar"
            and position.text.isdigit()
            and int(position.text) < len(base.items)
        ):
            return base.items[int(position.text)]
        return opaque(f"'{short(self._text(node))}' cannot be followed", base.is_tensor)

    def _call(self, node: Node) -> Value:
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        text = short(self._text(node))
        if called is None or given is None:
            return opaque(f"'{text}'")
        arguments = [a for a in given.named_children if a.type != "comment"]
        if called.type == "field_expression":
            return self._method_value(called, arguments, text)
        name, space = name_of(self._bridge, called)
        if self._text(called).startswith(("static_cast", "const_cast", "reinterpret_cast")) and arguments:
            return self.value(arguments[0])
        if space in TORCH and name in ALLOCATING:
            return self._allocated(name)
        if space in TORCH and name == "Tensor" and not arguments:
            return NONE
        if (
            name in ("float", "double", "int64_t", "int", "bool", "int32_t", "uint32_t", "Scalar")
            and len(arguments) == 1
        ):
            return self.value(arguments[0])
        if name in (
            "make_tuple",
            "tuple",
            "tie",
            "vector",
            "make_pair",
            "TensorList",
            "ArrayRef",
            "IntArrayRef",
        ):
            return Value("items", items=tuple(self.value(a) for a in arguments))
        inner = self._bridge.function_node(name)
        if inner is not None and inner is not self._function:
            return self._inner(inner, arguments, text)
        return opaque(f"'{text}' cannot be followed")

    def _inner(self, function: Function, arguments: list[Node], text: str) -> Value:
        """A function of the section that this one calls."""
        walk = _Walk(self._bridge, function)
        walk._outputs = self._outputs
        if len(arguments) > len(function.parameters) or self._depth() > 6:
            return opaque(f"'{text}' cannot be followed")
        walk._above = self  # type: ignore[attr-defined]
        for position, (name, _, default) in enumerate(function.parameters):
            if position < len(arguments):
                walk.names[name] = self.value(arguments[position])
            elif default is not None:
                walk.names[name] = walk.value(default)
        body = function.node.child_by_field_name("body")
        if body is not None:
            walk.block(body)
        self._outputs = walk._outputs
        self.calls += walk.calls
        self.problems += walk.problems
        return walk.returned or NONE

    def _depth(self) -> int:
        depth, one = 0, self
        while (above := getattr(one, "_above", None)) is not None:
            depth, one = depth + 1, above
        return depth

    def _allocated(self, name: str) -> Value:
        self._outputs += 1
        if name.endswith(("ones", "full", "ones_like", "full_like")):
            return opaque(f"a tensor of {name}", tensor=True)
        return Value("result", "", output=self._outputs - 1, zeroed=name in ZEROING)

    def _method_value(self, called: Node, arguments: list[Node], text: str) -> Value:
        on_node, name = method_of(self._bridge, called)
        on = self.value(on_node) if on_node is not None else NONE
        if on.kind == "none" and name in ("value", "value_or"):
            return self.value(arguments[0]) if name == "value_or" and arguments else on
        if name == "value_or" and on.kind != "opaque":
            return on
        if name in SAME and on.kind in ("tensor", "result", "scalar"):
            return on
        if on.kind == "scalar" and name in ("to", "toFloat", "toDouble", "toInt", "toLong", "vec"):
            return on
        if on.kind == "tensor":
            return self._reported(on, name, arguments, text)
        if name in ALLOCATING and on.is_tensor:
            return self._allocated(name)
        if on.kind == "result" and name in KEEPING:
            return on
        if on.kind == "scalar" and on.text.endswith(".shape") and name in ("size",) and not arguments:
            return scalar(f"{on.text.removesuffix('.shape')}.ndim")
        return opaque(f"'{text}' cannot be followed", on.is_tensor and name not in TOLD)

    def _reported(self, on: Value, name: str, arguments: list[Node], text: str) -> Value:
        """A method of a tensor of the task."""
        if name in ALLOCATING:
            return self._allocated(name)
        plain = on.text.isidentifier() or re.fullmatch(r"[\w.]+", on.text) is not None
        if plain and name in ("size", "sym_size") and arguments:
            index = self.value(arguments[0])
            if index.kind == "scalar":
                return scalar(f"{on.text}.shape[{index.text}]")
        if plain and name in ("sizes", "sym_sizes"):
            return scalar(f"{on.text}.shape")
        if plain and name in ("numel", "sym_numel"):
            return scalar(f"{on.text}.numel()")
        if plain and name in ("dim", "ndimension"):
            return scalar(f"{on.text}.ndim")
        return opaque(f"'{text}' cannot be followed", tensor=name not in TOLD)


def _as_number(value: Value, kind: str) -> Value:
    """A parameter of the task's forward that C++ takes as a number is one."""
    if (
        value.kind == "tensor"
        and value.text.isidentifier()
        and re.fullmatch(r"(const )?(double|float|bool|u?int\w*|long)", kind)
    ):
        return scalar(value.text)
    return value


def _number(text: str) -> Value:
    plain = re.sub(r"'", "", text)
    if re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*", plain):
        return scalar(str(int(re.sub(r"[uUlL]+$", "", plain), 16)))
    if re.fullmatch(r"\d+[uUlL]*", plain):
        return scalar(re.sub(r"[uUlL]+$", "", plain))
    try:
        return scalar(repr(float(re.sub(r"[fFlL]$", "", plain))))
    except ValueError:
        return opaque(f"'{text}' is unknown")


def _throws(branch: Node) -> bool:
    return any(n.type == "throw_statement" for n in all_nodes(branch))
