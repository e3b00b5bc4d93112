"""Section `python_bind_src`: C++ that allocates the outputs and calls `aclnn<Operator>`. Read here, not compiled.

What is allowed here is what a launch needs: shapes, allocations, checks. Whatever computes on tensors is a finding.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node, Parser

from kernelwright_backends.interfaces.operator_bundle import Problem
from kernelwright_backends.syntax.tree import language

SECTION = "python_bind_src"
_EXECUTE = re.compile(r"EXEC_\w*NPU\w*")


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
        for node in all_nodes(self._tree.root_node):
            if node.type == "function_definition" and (made := self._function(node)) is not None:
                self._functions.setdefault(made.name, made)
        for node in all_nodes(self._tree.root_node):
            if node.type == "call_expression":
                self._registration(node)

    def text(self, node: Node) -> str:
        """As it is spelled."""
        return self._bytes[node.start_byte : node.end_byte].decode(errors="replace")

    def _function(self, node: Node) -> Function | None:
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "function_declarator":
            declarator = declarator.child_by_field_name("declarator")
        named = declarator.child_by_field_name("declarator") if declarator else None
        if declarator is None or named is None or node.child_by_field_name("body") is None:
            return None
        return Function(node, self.text(named).split("::")[-1], self._parameters(declarator))

    def _parameters(self, declarator: Node) -> tuple[tuple[str, str, Node | None], ...]:
        made = []
        listed = declarator.child_by_field_name("parameters")
        for node in listed.named_children if listed else ():
            if node.type not in ("parameter_declaration", "optional_parameter_declaration"):
                continue
            name = node.child_by_field_name("declarator")
            kind = node.child_by_field_name("type")
            spelled = re.sub(r"[&*\s]", "", self.text(name)) if name else ""
            made.append((spelled, self.text(kind) if kind else "", node.child_by_field_name("default_value")))
        return tuple(made)

    def _registration(self, node: Node) -> None:
        """`m.def("name", &function)`, `m.impl("name", TORCH_FN(function))`, a lambda in its place."""
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or called.type != "field_expression":
            return
        field = called.child_by_field_name("field")
        arguments = [a for a in given.named_children if a.type != "comment"]
        if field is None or self.text(field) not in ("def", "impl") or len(arguments) < 2:
            return
        name = self.text(arguments[0]).strip('"').split("(")[0].split("::")[-1]
        target = arguments[1]
        if target.type == "lambda_expression":
            declarator = target.child_by_field_name("declarator")
            parameters = self._parameters(declarator) if declarator else ()
            self._functions[f"lambda of {name}"] = Function(target, f"lambda of {name}", parameters)
            self.registered.setdefault(name, f"lambda of {name}")
            return
        spelled = re.findall(r"[A-Za-z_]\w*", self.text(target))
        known = [word for word in spelled if word in self._functions]
        if known:
            self.registered.setdefault(name, known[-1])

    def reached(self) -> list[Function]:
        """What Python can call, and what that calls in its turn."""
        found: dict[str, Function] = {}
        left = list(self.registered.values())
        while left:
            name = left.pop()
            if name in found or name not in self._functions:
                continue
            found[name] = function = self._functions[name]
            for node in all_nodes(function.node):
                if (
                    node.type == "call_expression"
                    and (called := node.child_by_field_name("function")) is not None
                ):
                    left.append(re.sub(r"<.*>$", "", self.text(called)).split("::")[-1])
        return list(found.values())

    def operators(self) -> Iterator[tuple[str, Node]]:
        """Every operator that is executed, without its `aclnn`."""
        for node in all_nodes(self._tree.root_node):
            if node.type == "call_expression" and (name := self.executed(node)) is not None:
                yield name, node

    def executed(self, node: Node) -> str | None:
        """The operator that a call executes, without its `aclnn`; None for any other call."""
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or given is None or not _EXECUTE.fullmatch(self.text(called)):
            return None
        first = given.named_children[0] if given.named_children else None
        return re.sub(r"^aclnn", "", self.text(first)) if first is not None else None

    def problem(self, node: Node, message: str, code: str | None = None) -> Problem:
        """A finding-to-be at a node."""

        def column(at: int, row_column: int) -> int:
            return len(self._bytes[at - row_column : at].decode(errors="replace")) + 1

        first, last = node.start_point, node.end_point
        return Problem(
            SECTION, message, first[0] + 1, column(node.start_byte, first[1]), last[0] + 1, column(node.end_byte, last[1]), code
        )  # fmt: skip

    def registered_function(self, python_name: str) -> Function:
        """What Python calls by a name that is registered."""
        return self._functions[self.registered[python_name]]

    def function_node(self, name: str) -> Function | None:
        """The function of the section that has this name."""
        return self._functions.get(name)

    @property
    def top(self) -> Sequence[Node]:
        """What stands at file scope."""
        return self._tree.root_node.named_children


def method_of(bridge: Bridge, called: Node) -> tuple[Node | None, str]:
    """What a method is called on, and its name without template arguments."""
    field = called.child_by_field_name("field")
    name = re.sub(r"<.*>$", "", bridge.text(field), flags=re.DOTALL) if field is not None else ""
    return called.child_by_field_name("argument"), name


def name_of(bridge: Bridge, called: Node) -> tuple[str, str]:
    """A function's own name, and the outermost namespace it is called by."""
    spelled = re.sub(r"<.*>$", "", bridge.text(called), flags=re.DOTALL).lstrip(":")
    parts = [p.strip() for p in spelled.split("::")]
    return parts[-1], parts[0] if len(parts) > 1 else ""


def all_nodes(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    left = [node]
    while left:
        one = left.pop()
        yield one
        left += reversed(one.named_children)
