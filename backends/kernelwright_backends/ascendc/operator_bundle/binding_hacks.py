"""What section `python_bind_src` has no use for: whatever computes on tensors, keeps them or leads out of the launch."""

import re
from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from kernelwright_backends.ascendc.operator_bundle.binding_words import (
    ALLOCATING,
    DESCRIBING,
    FILLING,
    RESHAPING,
    SAME,
    SCALARS,
    TOLD,
    TORCH,
)
from kernelwright_backends.ascendc.operator_bundle.bridge import (
    Bridge,
    Function,
    all_nodes,
    method_of,
    name_of,
)
from kernelwright_backends.ascendc.operator_bundle.values import short
from kernelwright_backends.interfaces.operator_bundle import Problem

_EVASIONS = re.compile(
    r"^(?:(?:std::|::)?(?:system|popen|fork|vfork|execvp?|execve|dlopen|dlsym|dlmopen|mmap|mprotect|ptrace|setenv|putenv)"
    r"|py(?:bind11)?::(?:eval|eval_file|exec|module_::import|module::import|import|globals)|PyRun_\w+|PyImport_\w+)$"
)
_LASTING = re.compile(r"\s*(?:thread_local|static)\b(?!\s+(?:constexpr|const)\s+(?![^=(]*Tensor))")
_EVADING_TYPES = re.compile(r"\b(?:std::)?(?:i|o)?fstream\b|\bstd::(?:thread|jthread|async|filesystem\b)")


def binding_hacks(bridge: Bridge, operators: Sequence[str]) -> Iterator[Problem]:
    """What a binding has no use for; `operators` are those that the bundle itself defines."""
    for name, node in bridge.operators():
        if name not in operators:
            own = ", ".join(f"aclnn{o}" for o in operators)
            message = f"aclnn{name} is not the bundle's operator ({own}), so an operator of CANN would compute the result"
            yield bridge.problem(node, message, "HACK_OPERATOR")
    for node in bridge.top:
        yield from _kept(bridge, node, "file scope")
    for function in bridge.reached():
        yield from _Function(bridge, function).hacks()


def _kept(bridge: Bridge, node: Node, where: str) -> Iterator[Problem]:
    if node.type in ("namespace_definition", "declaration_list", "linkage_specification"):
        for child in node.named_children:
            yield from _kept(bridge, child, where)
    text = bridge.text(node)
    if node.type == "declaration" and re.search(r"\bTensor\b", text) and "(" not in text.split("=")[0]:
        yield bridge.problem(
            node, f"a tensor at {where} outlives the call, so results could be kept in it", "HACK_CACHED"
        )


class _Function:
    """Every call of one function, by what it is called on."""

    def __init__(self, bridge: Bridge, function: Function) -> None:
        self._bridge, self._function = bridge, function
        self._tensors = {
            name for name, kind, _ in function.parameters if re.search(r"\bTensor(List)?\b", kind)
        }

    def _text(self, node: Node) -> str:
        return self._bridge.text(node)

    def hacks(self) -> Iterator[Problem]:
        body = self._function.node.child_by_field_name("body")
        if body is None:
            return
        self._learn_tensors(body)
        for node in all_nodes(body):
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
        for node in all_nodes(body):
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
                    on, name = method_of(self._bridge, called)
                    return on is not None and self._is_tensor(on) and name not in TOLD
                name, space = name_of(self._bridge, called)
                return space in TORCH and name not in DESCRIBING
        return False

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
            f"'{short(self._text(node))}' computes with tensors outside of the kernel; do it in the kernel"
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
            on, name = method_of(self._bridge, called)
            if on is None or not self._is_tensor(on):
                return
            if name in ("cpu", "accessor", "packed_accessor32", "packed_accessor64") or (
                name == "to" and re.search(r"\bkCPU\b|\bCPU\b", self._text(node))
            ):
                # A number that steers the launch may be read.
                if not _read_as_number(node, self._text):
                    yield self._bridge.problem(node, f"'.{name}' copies a tensor to the host", "HACK_HOST")
            elif name not in SAME | RESHAPING | TOLD | ALLOCATING and name not in FILLING:
                message = f"'.{name}' is an operator of PyTorch; compute this in the kernel"
                yield self._bridge.problem(node, message, "HACK_OPERATOR")
            return
        name, space = name_of(self._bridge, called)
        if space in TORCH and name not in ALLOCATING | DESCRIBING | SCALARS and not name.startswith("k"):
            if space == "c10" or (space == "torch" and name == "Tensor") or name in ("Tensor", "Generator"):
                return
            message = f"{space}::{name} is an operator of PyTorch; compute this in the kernel"
            yield self._bridge.problem(node, message, "HACK_OPERATOR")


def _read_as_number(node: Node, text: Callable[[Node], str]) -> bool:
    """Is `.item()` called on what this call gives?"""
    above = node.parent
    while above is not None and above.type in ("field_expression", "call_expression"):
        field = above.child_by_field_name("field")
        if above.type == "field_expression" and field is not None and text(field).startswith("item"):
            return True
        above = above.parent
    return False
