"""Section `python_bind_src`: C++ that allocates the outputs and calls `aclnn<Operator>`. Followed, not compiled.

What is allowed here is what a launch needs: shapes, allocations, checks. Whatever computes on tensors is a finding.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node, Parser

from kernelwright_backends.ascendc.operator_bundle.values import (
    NONE,
    OperatorCall,
    Value,
    merged,
    opaque,
    scalar,
)
from kernelwright_backends.interfaces.operator_bundle import Problem
from kernelwright_backends.syntax.tree import language

SECTION = "python_bind_src"
_EXECUTE = re.compile(r"EXEC_\w*NPU\w*")
_ALLOCATING = {
    "empty", "empty_like", "empty_strided", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "new_empty",
    "new_zeros", "new_ones", "new_full", "apply_tensor", "apply_tensor_without_format", "apply_tensor_with_format",
}  # fmt: skip
_ZEROING = {"zeros", "zeros_like", "new_zeros"}
# Of at:: and torch::, what says how a tensor is, and no more.
_DESCRIBING = {
    "TensorOptions", "device", "dtype", "layout", "IntArrayRef", "ArrayRef", "OptionalTensorRef", "optional", "nullopt", "Device",
    "DeviceType", "infer_size", "clone", "str", "Scalar", "toString", "typeMetaToScalarType", "isFloatingType", "isIntegralType", "elementSize",
    "maybe_wrap_dim", "SymInt", "SmallVector", "DimVector", "OptionalDeviceGuard", "DeviceGuard", "NoGradGuard", "AutoGradMode",
    "AutoNonVariableTypeMode", "AutoDispatchBelowADInplaceOrView", "requires_grad", "memory_format",
}  # fmt: skip
_SAME = {"contiguous", "detach", "value", "clone", "alias", "variable_data", "toType", "npu"}
_RESHAPING = {
    "view", "reshape", "flatten", "unsqueeze", "squeeze", "expand", "expand_as", "permute", "transpose", "t", "narrow", "slice",
    "select", "view_as", "movedim", "swapaxes", "unflatten", "as_strided", "to",
}  # fmt: skip
# Of a contiguous tensor, what leaves its bytes as they are.
_KEEPING = {"view", "reshape", "flatten", "unsqueeze", "squeeze", "view_as", "unflatten"}
_TOLD = {
    "size", "sizes", "dim", "ndimension", "numel", "options", "scalar_type", "dtype", "device", "stride", "strides", "is_contiguous",
    "defined", "has_value", "element_size", "nbytes", "storage_offset", "layout", "type", "is_privateuseone", "is_npu", "is_cuda",
    "is_cpu", "is_floating_point", "requires_grad", "sym_sizes", "itemsize", "get_device", "suggest_memory_format", "use_count",
    "is_same", "item", "data_ptr", "const_data_ptr", "mutable_data_ptr", "equals", "is_sparse", "is_complex", "value_or",
    "is_non_overlapping_and_dense", "unsafeGetTensorImpl", "toString", "sym_numel", "sym_size", "set_requires_grad",
}  # fmt: skip
_FILLING = {"zero_": True, "fill_": False, "resize_": False}
_EVASIONS = re.compile(
    r"^(?:(?:std::|::)?(?:system|popen|fork|vfork|execvp?|execve|dlopen|dlsym|dlmopen|mmap|mprotect|ptrace|setenv|putenv)"
    r"|py(?:bind11)?::(?:eval|eval_file|exec|module_::import|module::import|import|globals)|PyRun_\w+|PyImport_\w+)$"
)
_LASTING = re.compile(r"\s*(?:thread_local|static)\b(?!\s+(?:constexpr|const)\s+(?![^=(]*Tensor))")
_EVADING_TYPES = re.compile(r"\b(?:std::)?(?:i|o)?fstream\b|\bstd::(?:thread|jthread|async|filesystem\b)")


@dataclass(frozen=True)
class Function:
    node: Node  # with parameters and a body
    name: str
    parameters: tuple[tuple[str, str, Node | None], ...]  # name, type, default


class Bridge:
    """The functions that the section registers for Python, by their Python names."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        parser = Parser(language())
        self._tree = parser.parse(self._bytes)
        self._functions: dict[str, Function] = {}
        self.registered: dict[str, str] = {}  # Python's name -> function of the section
        for node in _all(self._tree.root_node):
            if node.type == "function_definition" and (made := self._function(node)) is not None:
                self._functions.setdefault(made.name, made)
        for node in _all(self._tree.root_node):
            if node.type == "call_expression":
                self._registration(node)

    # ---- what stands there ---------------------------------------------------------------------------------------

    def _text(self, node: Node) -> str:
        return self._bytes[node.start_byte : node.end_byte].decode(errors="replace")

    def _function(self, node: Node) -> Function | None:
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator")
        named = declarator.child_by_field_name("declarator") if declarator else None
        if declarator is None or named is None or node.child_by_field_name("body") is None:
            return None
        return Function(node, self._text(named).split("::")[-1], self._parameters(declarator))

    def _parameters(self, declarator: Node) -> tuple[tuple[str, str, Node | None], ...]:
        made = []
        listed = declarator.child_by_field_name("parameters")
        for node in listed.named_children if listed else ():
            if node.type not in ("parameter_declaration", "optional_parameter_declaration"):
                continue
            name = node.child_by_field_name("declarator")
            kind = node.child_by_field_name("type")
            spelled = re.sub(r"[&*\s]", "", self._text(name)) if name else ""
            made.append(
                (spelled, self._text(kind) if kind else "", node.child_by_field_name("default_value"))
            )
        return tuple(made)

    def _registration(self, node: Node) -> None:
        """`m.def("name", &function)`, `m.impl("name", TORCH_FN(function))`, a lambda in its place."""
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or called.type != "field_expression":
            return
        field = called.child_by_field_name("field")
        arguments = [a for a in given.named_children if a.type != "comment"]
        if field is None or self._text(field) not in ("def", "impl") or len(arguments) < 2:
            return
        name = self._text(arguments[0]).strip('"').split("(")[0].split("::")[-1]
        target = arguments[1]
        if target.type == "lambda_expression":
            declarator = target.child_by_field_name("declarator")
            parameters = self._parameters(declarator) if declarator else ()
            self._functions[f"lambda of {name}"] = Function(target, f"lambda of {name}", parameters)
            self.registered.setdefault(name, f"lambda of {name}")
            return
        spelled = re.findall(r"[A-Za-z_]\w*", self._text(target))
        known = [word for word in spelled if word in self._functions]
        if known:
            self.registered.setdefault(name, known[-1])

    # ---- what is called ------------------------------------------------------------------------------------------

    def reached(self) -> list[Function]:
        """What Python can call, and what that calls in its turn."""
        found: dict[str, Function] = {}
        left = list(self.registered.values())
        while left:
            name = left.pop()
            if name in found or name not in self._functions:
                continue
            found[name] = function = self._functions[name]
            for node in _all(function.node):
                if (
                    node.type == "call_expression"
                    and (called := node.child_by_field_name("function")) is not None
                ):
                    left.append(re.sub(r"<.*>$", "", self._text(called)).split("::")[-1])
        return list(found.values())

    def operators(self) -> Iterator[tuple[str, Node]]:
        """Every operator that is executed, without its `aclnn`."""
        for node in _all(self._tree.root_node):
            if node.type == "call_expression" and (name := self._executed(node)) is not None:
                yield name, node

    def _executed(self, node: Node) -> str | None:
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or not _EXECUTE.fullmatch(self._text(called)):
            return None
        first = given.named_children[0] if given.named_children else None
        return re.sub(r"^aclnn", "", self._text(first)) if first is not None else None

    def problem(self, node: Node, message: str, code: str | None = None) -> Problem:
        def column(at: int, row_column: int) -> int:
            return len(self._bytes[at - row_column : at].decode(errors="replace")) + 1

        first, last = node.start_point, node.end_point
        return Problem(
            SECTION, message, first[0] + 1, column(node.start_byte, first[1]), last[0] + 1, column(node.end_byte, last[1]), code
        )  # fmt: skip

    def hacks(self, operators: Sequence[str]) -> Iterator[Problem]:
        """What a binding has no use for; `operators` are those that the bundle itself defines."""
        for name, node in self.operators():
            if name not in operators:
                own = ", ".join(f"aclnn{o}" for o in operators)
                message = f"aclnn{name} is not the bundle's operator ({own}), so an operator of CANN would compute the result"
                yield self.problem(node, message, "HACK_OPERATOR")
        for node in self._tree.root_node.named_children:
            yield from self._kept(node, "file scope")
        for function in self.reached():
            yield from _Walk(self, function).hacks()

    def _kept(self, node: Node, where: str) -> Iterator[Problem]:
        if node.type in ("namespace_definition", "declaration_list", "linkage_specification"):
            for child in node.named_children:
                yield from self._kept(child, where)
        text = self._text(node)
        if node.type == "declaration" and re.search(r"\bTensor\b", text) and "(" not in text.split("=")[0]:
            yield self.problem(
                node, f"a tensor at {where} outlives the call, so results could be kept in it", "HACK_CACHED"
            )

    def follow(
        self, python_name: str, given: Sequence[Value]
    ) -> tuple[list[OperatorCall], Value, list[Problem]]:
        """The operators that a call from Python executes, what it returns, and what could not be followed."""
        function = self._functions[self.registered[python_name]]
        walk = _Walk(self, function)
        if len(given) > len(function.parameters):
            taken, listed = len(function.parameters), len(given)
            message = (
                f"{python_name} takes {taken} argument{'s' if taken != 1 else ''}, model_src gives {listed}"
            )
            return [], NONE, [self.problem(function.node, message)]
        for position, (name, kind, default) in enumerate(function.parameters):
            if position < len(given):
                walk.names[name] = _as_number(given[position], kind)
            elif default is not None:
                walk.names[name] = walk.value(default)
            elif "optional" in kind:
                walk.names[name] = NONE
            else:
                message = f"model_src gives no value for '{name}' of {python_name}"
                return [], NONE, [self.problem(function.node, message)]
        body = function.node.child_by_field_name("body")
        if body is not None:
            walk.block(body)
        return walk.calls, walk.returned or NONE, walk.problems

    def function_node(self, name: str) -> Function | None:
        return self._functions.get(name)


def _all(node: Node) -> Iterator[Node]:
    left = [node]
    while left:
        one = left.pop()
        yield one
        left += reversed(one.named_children)


class _Walk:
    """One function, statement by statement."""

    def __init__(self, bridge: Bridge, function: Function) -> None:
        self._bridge, self._function = bridge, function
        self.names: dict[str, Value] = {}
        self.calls: list[OperatorCall] = []
        self.problems: list[Problem] = []
        self.returned: Value | None = None
        self._outputs = 0
        self._tensors = {
            name for name, kind, _ in function.parameters if re.search(r"\bTensor(List)?\b", kind)
        }

    def _text(self, node: Node) -> str:
        return self._bridge._text(node)

    # ---- hacks: every call, by what it is called on ------------------------------------------------------------------

    def hacks(self) -> Iterator[Problem]:
        body = self._function.node.child_by_field_name("body")
        if body is None:
            return
        self._learn_tensors(body)
        for node in _all(body):
            if node.type == "declaration" and _LASTING.match(self._text(node)):
                message = "a static variable outlives the call, so results could be kept in it"
                yield self._bridge.problem(node, message, "HACK_CACHED")
            if node.type in ("declaration", "call_expression") and _EVADING_TYPES.search(
                self._text(node).split("(")[0]
            ):
                message = "files and threads are not allowed in a launch"
                yield self._bridge.problem(node, message, "HACK_EVASION")
            if node.type in (
                "binary_expression",
                "unary_expression",
                "subscript_expression",
                "assignment_expression",
            ):
                yield from self._arithmetic(node)
            if node.type == "call_expression":
                yield from self._called(node)

    def _learn_tensors(self, body: Node) -> None:
        for node in _all(body):
            if node.type != "declaration":
                continue
            kind = node.child_by_field_name("type")
            named = kind is not None and re.search(r"\bTensor\b", self._text(kind))
            for child in node.named_children:
                if child.type == "init_declarator":
                    name, made = child.child_by_field_name("declarator"), child.child_by_field_name("value")
                    if name is not None and (named or (made is not None and self._is_tensor(made))):
                        self._tensors.add(re.sub(r"[&*\s]", "", self._text(name)))
                elif named and child.type == "identifier":
                    self._tensors.add(self._text(child))

    def _is_tensor(self, node: Node) -> bool:
        match node.type:
            case "identifier":
                return self._text(node) in self._tensors
            case "parenthesized_expression" | "pointer_expression":
                return any(self._is_tensor(c) for c in node.named_children)
            case "conditional_expression":
                branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
                return any(self._is_tensor(b) for b in branches if b is not None)
            case "call_expression":
                called = node.child_by_field_name("function")
                if called is None:
                    return False
                if called.type == "field_expression":
                    on, name = self._method(called)
                    return on is not None and self._is_tensor(on) and name not in _TOLD
                name, space = self._name_of(called)
                return space in _TORCH and name not in _DESCRIBING
        return False

    def _method(self, called: Node) -> tuple[Node | None, str]:
        field = called.child_by_field_name("field")
        name = re.sub(r"<.*>$", "", self._text(field), flags=re.DOTALL) if field is not None else ""
        return called.child_by_field_name("argument"), name

    def _name_of(self, called: Node) -> tuple[str, str]:
        """A function's own name, and the outermost namespace it is called by."""
        spelled = re.sub(r"<.*>$", "", self._text(called), flags=re.DOTALL).lstrip(":")
        parts = [p.strip() for p in spelled.split("::")]
        return parts[-1], parts[0] if len(parts) > 1 else ""

    def _arithmetic(self, node: Node) -> Iterator[Problem]:
        if node.type == "assignment_expression":
            operator = node.child_by_field_name("operator")
            left = node.child_by_field_name("left")
            if operator is None or left is None or self._text(operator) == "=" or not self._is_tensor(left):
                return
        elif node.type == "subscript_expression":
            on = node.child_by_field_name("argument")
            if on is None or "data_ptr" not in self._text(on):
                return
            yield self._bridge.problem(
                node, "the host reads or writes elements of a tensor; do it in the kernel", "HACK_HOST"
            )
            return
        elif not any(self._is_tensor(c) for c in node.named_children if c.type != "pointer_expression"):
            return
        if node.type == "unary_expression" and self._text(node).startswith("!"):
            return
        message = (
            f"'{_short(self._text(node))}' computes with tensors outside of the kernel; do it in the kernel"
        )
        yield self._bridge.problem(node, message, "HACK_OPERATOR")

    def _called(self, node: Node) -> Iterator[Problem]:
        called = node.child_by_field_name("function")
        if called is None:
            return
        spelled = re.sub(r"\s", "", self._text(called))
        if _EVASIONS.match(re.sub(r"<.*>$", "", spelled)):
            yield self._bridge.problem(node, f"{spelled} is not allowed in a launch", "HACK_EVASION")
            return
        if called.type == "field_expression":
            on, name = self._method(called)
            if on is None or not self._is_tensor(on):
                return
            if name in ("cpu", "accessor", "packed_accessor32", "packed_accessor64") or (
                name == "to" and re.search(r"\bkCPU\b|\bCPU\b", self._text(node))
            ):
                # A number that steers the launch may be read.
                if not _read_as_number(node, self._text):
                    yield self._bridge.problem(node, f"'.{name}' copies a tensor to the host", "HACK_HOST")
            elif name not in _SAME | _RESHAPING | _TOLD | _ALLOCATING and name not in _FILLING:
                message = f"'.{name}' is an operator of PyTorch; compute this in the kernel"
                yield self._bridge.problem(node, message, "HACK_OPERATOR")
            return
        name, space = self._name_of(called)
        if space in _TORCH and name not in _ALLOCATING | _DESCRIBING | _SCALARS and not name.startswith("k"):
            if space == "c10" or (space == "torch" and name == "Tensor") or name in ("Tensor", "Generator"):
                return
            message = f"{space}::{name} is an operator of PyTorch; compute this in the kernel"
            yield self._bridge.problem(node, message, "HACK_OPERATOR")

    # ---- values ------------------------------------------------------------------------------------------------------

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
                f"it depends on '{_short(self._text(condition))}'"
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
            operator = self._bridge._executed(node)
            if operator is not None:
                given = node.child_by_field_name("arguments")
                arguments = [a for a in given.named_children if a.type != "comment"][1:] if given else []
                values = tuple(self.value(a) for a in arguments)
                row, column = node.start_point
                self.calls.append(OperatorCall(operator, values, row + 1, column + 1))
                return
            called = node.child_by_field_name("function")
            if called is not None and called.type == "field_expression":
                on, name = self._method(called)
                if on is not None and name in _FILLING and on.type == "identifier":
                    known = self.names.get(self._text(on))
                    if known is not None and known.kind == "result":
                        self.names[self._text(on)] = Value(
                            "result", known.text, output=known.output, zeroed=_FILLING[name]
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
                    else opaque(f"'{_short(text)}'")
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
        return opaque(f"'{_short(text)}' cannot be followed")

    def _choice(self, node: Node) -> Value:
        parts = [node.child_by_field_name(n) for n in ("condition", "consequence", "alternative")]
        if any(p is None for p in parts):
            return opaque(f"'{_short(self._text(node))}'")
        condition, yes, no = (p for p in parts if p is not None)
        truth = self._truth(condition)
        if truth is not None:
            return self.value(yes if truth else no)
        return merged(self.value(yes), self.value(no), f"it depends on '{_short(self._text(condition))}'")

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
                    on, name = self._method(called)
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
            return opaque(f"'{_short(self._text(node))}'")
        one, other, sign = self.value(left), self.value(right), self._text(operator)
        if one.kind == other.kind == "scalar" and sign in ("+", "-", "*"):
            return scalar(f"({one.text} {sign} {other.text})")
        if one.kind == other.kind == "scalar" and sign == "/":
            whole = not any(
                "." in v.text and not re.search(r"shape|numel|ndim|size", v.text) for v in (one, other)
            )
            return scalar(f"({one.text} {'//' if whole else '/'} {other.text})")
        return opaque(f"'{_short(self._text(node))}' cannot be followed")

    def _subscript(self, node: Node) -> Value:
        on, index = node.child_by_field_name("argument"), node.child_by_field_name("indices")
        if on is None or index is None:
            return opaque(f"'{_short(self._text(node))}'")
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
        return opaque(f"'{_short(self._text(node))}' cannot be followed", base.is_tensor)

    def _call(self, node: Node) -> Value:
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        text = _short(self._text(node))
        if called is None or given is None:
            return opaque(f"'{text}'")
        arguments = [a for a in given.named_children if a.type != "comment"]
        if called.type == "field_expression":
            return self._method_value(called, arguments, text)
        name, space = self._name_of(called)
        if self._text(called).startswith(("static_cast", "const_cast", "reinterpret_cast")) and arguments:
            return self.value(arguments[0])
        if space in _TORCH and name in _ALLOCATING:
            return self._allocated(name)
        if space in _TORCH and name == "Tensor" and not arguments:
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
        return Value("result", "", output=self._outputs - 1, zeroed=name in _ZEROING)

    def _method_value(self, called: Node, arguments: list[Node], text: str) -> Value:
        on_node, name = self._method(called)
        on = self.value(on_node) if on_node is not None else NONE
        if on.kind == "none" and name in ("value", "value_or"):
            return self.value(arguments[0]) if name == "value_or" and arguments else on
        if name == "value_or" and on.kind != "opaque":
            return on
        if name in _SAME and on.kind in ("tensor", "result", "scalar"):
            return on
        if on.kind == "scalar" and name in ("to", "toFloat", "toDouble", "toInt", "toLong", "vec"):
            return on
        if on.kind == "tensor":
            return self._told(on, name, arguments, text)
        if name in _ALLOCATING and on.is_tensor:
            return self._allocated(name)
        if on.kind == "result" and name in _KEEPING:
            return on
        if on.kind == "scalar" and on.text.endswith(".shape") and name in ("size",) and not arguments:
            return scalar(f"{on.text.removesuffix('.shape')}.ndim")
        return opaque(f"'{text}' cannot be followed", on.is_tensor and name not in _TOLD)

    def _told(self, on: Value, name: str, arguments: list[Node], text: str) -> Value:
        """A method of a tensor of the task."""
        if name in _ALLOCATING:
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
        return opaque(f"'{text}' cannot be followed", tensor=name not in _TOLD)


def _as_number(value: Value, kind: str) -> Value:
    """A parameter of the task's forward that C++ takes as a number is one."""
    if (
        value.kind == "tensor"
        and value.text.isidentifier()
        and re.fullmatch(r"(const )?(double|float|bool|u?int\w*|long)", kind)
    ):
        return scalar(value.text)
    return value


_TORCH = ("at", "torch", "c10", "at_npu", "at_tensor", "aten")
_SCALARS = {"Scalar", "Half", "BFloat16"}


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


def _read_as_number(node: Node, text: Callable[[Node], str]) -> bool:
    """Is `.item()` called on what this call gives?"""
    above = node.parent
    while above is not None and above.type in ("field_expression", "call_expression"):
        field = above.child_by_field_name("field")
        if above.type == "field_expression" and field is not None and text(field).startswith("item"):
            return True
        above = above.parent
    return False


def _throws(branch: Node) -> bool:
    return any(n.type == "throw_statement" for n in _all(branch))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
