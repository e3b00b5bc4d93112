"""A text with its tree: places of findings as nodes, nodes as edits."""

from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.fix import Edit
from kernelwright_backends.cuda.cpu.frontend.parsing import parse
from kernelwright_backends.syntax.text import Lines, walk

BODIES = ("compound_statement", "case_statement")
LOOPS = ("for_statement", "while_statement", "do_statement")


class Source:
    """A text with its tree, places of findings as nodes, nodes as edits."""

    def __init__(self, text: str) -> None:
        self.bytes = text.encode("utf-8", "surrogatepass")
        self.lines = Lines(self.bytes)
        self.root = parse(self.bytes).root_node
        self._texts = text.split("\n")

    def offset(self, line: int, column: int) -> int:
        """In bytes, of a line and a column in code points."""
        if line > len(self._texts):
            return len(self.bytes)
        before = self._texts[line - 1][: column - 1]
        return self.lines.offset(line, len(before.encode("utf-8", "surrogatepass")) + 1)

    def text(self, node: Node) -> str:
        return self.bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def at(self, place: Range) -> Node | None:
        start = self.offset(place.line, place.column)
        end = max(start, self.offset(place.end_line, place.end_column) - 1)
        node = self.root.descendant_for_byte_range(start, end)
        parent = node.parent if node is not None else None
        if node is None or parent is None:
            return node
        # By the name of a variable, or of a member, a compiler means all that it is made of.
        declared = parent.type == "init_declarator" and node == parent.child_by_field_name("declarator")
        return parent if declared or node.type == "field_identifier" else node

    def on_line(self, line: int, column: int) -> Node | None:
        start = self.offset(line, column)
        return self.root.descendant_for_byte_range(start, start)

    def replace(self, node: Node, text: str) -> Edit:
        return Edit(range=self.lines.range(node.start_byte, node.end_byte), text=text)

    def insert(self, at: int, text: str) -> Edit:
        return Edit(range=self.lines.range(at, at), text=text)

    def before(self, statement: Node, text: str) -> Edit:
        """`text` as a line of its own before a statement, indented as that is."""
        return self.insert(statement.start_byte, f"{text}\n{self.indent(statement)}")

    def after(self, statement: Node, text: str) -> Edit:
        return self.insert(statement.end_byte, f"\n{self.indent(statement)}{text}")

    def indent(self, node: Node) -> str:
        start = self.bytes.rfind(b"\n", 0, node.start_byte) + 1
        line = self.bytes[start : node.start_byte].decode("utf-8", "replace")
        return line[: len(line) - len(line.lstrip())]


def climb(node: Node | None, *types: str) -> Node | None:
    while node is not None and node.type not in types:
        node = node.parent
    return node


def around_or_in(node: Node | None, type: str) -> Iterator[Node]:
    """The nearest node of a type around a place; where there is none, those within, since a compiler may mean a whole
    assignment or call by its place.
    """
    around = climb(node, type)
    if around is not None:
        yield around
    elif node is not None and node.type not in BODIES:
        yield from (inner for inner in walk(node) if inner.type == type)


def ancestors(node: Node) -> list[Node]:
    """The node itself first, the root last."""
    found = []
    here: Node | None = node
    while here is not None:
        found.append(here)
        here = here.parent
    return found
