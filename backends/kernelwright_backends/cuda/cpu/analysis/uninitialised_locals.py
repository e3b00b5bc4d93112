"""Local variables of device functions that are read before they are assigned.

No tool sees a register that was never written. What the text alone proves is reported here: the first use of a variable
without initialiser reads it, on every path that reaches it. What depends on the data is found in the run: such a
variable starts with a value that is never taken for a result (`KW_UNWRITTEN`), looked for in what leaves the device.
"""

from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.syntax.text import walk

_LOOPS = frozenset(("for_statement", "while_statement", "do_statement", "for_range_loop"))
_BRANCHES = frozenset(("if_statement", "switch_statement", "conditional_expression", "case_statement"))
_WORDS = frozenset(
    ("float", "double", "int", "unsigned", "unsigned int", "long long", "unsigned long long", "int32_t", "uint32_t",
     "int64_t", "uint64_t", "size_t")
)  # fmt: skip


def bare_locals(body: Node) -> Iterator[tuple[Node, Node]]:
    """Declarations of numbers without initialiser in a function's body, each with the identifier it declares."""
    for node, name in _without_value(body):
        kind = node.child_by_field_name("type")
        if kind is not None and b" ".join((kind.text or b"").split()).decode() in _WORDS:
            yield node, name


def bare_aggregates(body: Node) -> Iterator[tuple[Node, Node]]:
    """The same of arrays, and of what may be a structure: the compiler knows what a type holds and whether it has a constructor."""
    for node, name in _without_value(body):
        kind = node.child_by_field_name("type")
        array = name.parent is not None and name.parent.type == "array_declarator"
        named = kind is not None and kind.type in (
            "type_identifier",
            "qualified_identifier",
            "template_type",
            "struct_specifier",
            "dependent_type",
        )
        word = kind is not None and b" ".join((kind.text or b"").split()).decode() in _WORDS
        if array or (named and not word):
            yield node, name


def _without_value(body: Node) -> Iterator[tuple[Node, Node]]:
    for node in walk(body):
        if node.type != "declaration" or node.parent is None or node.parent.type != "compound_statement":
            continue
        words = [child for child in node.children if not child.type.endswith("declarator")]
        if any(
            c.type in ("storage_class_specifier", "type_qualifier", "__shared__", "extern", "static")
            for c in words
        ):
            continue
        for declarator in node.children_by_field_name("declarator"):
            here: Node | None = declarator
            while here is not None and here.type == "array_declarator":
                here = here.child_by_field_name("declarator")
            if here is not None and here.type == "identifier":
                yield node, here


def passed_by_jumps(declaration: Node, body: Node) -> bool:
    """Does a switch stand around this declaration, whose labels no initialiser may come before?"""
    return any(node.type in ("switch_statement", "case_statement") for node in _above(declaration, body))


def has_labels(body: Node) -> bool:
    """Are there jumps that pass declarations?"""
    return any(node.type in ("goto_statement", "labeled_statement") for node in walk(body))


_UNREADABLE = ("goto_statement", "labeled_statement", "gnu_asm_expression", "preproc_if", "preproc_ifdef")


def reads_before_stores(body: Node) -> Iterator[tuple[Node, Node]]:
    """Pairs of (reading identifier, declaring identifier) that are wrong whatever the data."""
    declared = list(bare_locals(body))
    if not declared:
        return
    identifiers: dict[bytes | None, list[Node]] = {}
    for node in walk(body):
        if node.type in _UNREADABLE:
            return
        if node.type == "identifier":
            identifiers.setdefault(node.text, []).append(node)
    for declaration, name in declared:
        scope = declaration.parent
        assert scope is not None
        uses = sorted(
            (n for n in identifiers[name.text] if name.end_byte <= n.start_byte < scope.end_byte),
            key=lambda n: n.start_byte,
        )
        if not uses or any(_in_lambda(use, scope) for use in uses):
            continue
        first = _first_evaluated(uses)
        if not _reads(first) or _subscripts(first) < _dimensions(name):
            continue  # an array by itself is its address
        loops = [n for n in _above(first, scope) if n.type in _LOOPS]
        # In a loop, a later store may have come round; it has not when nothing but the first turn decides.
        if (
            loops
            and _may_be_passed_over(first, scope)
            and any(not _reads(use) or _stores(use) for use in uses[1:])
        ):
            continue
        yield first, name


def _may_be_passed_over(use: Node, scope: Node) -> bool:
    """Is there a turn of a loop around it that does not come to this use: by a condition, or by an inner loop that has as many
    turns as the outer one allows?"""
    loops: list[Node] = []
    below = use
    for node in _above(use, scope):
        if node.type in _BRANCHES:
            return True
        if node.type == "binary_expression" and _same(node.child_by_field_name("right"), below):
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.text in (b"&&", b"||"):
                return True
        if node.type in _LOOPS:
            changed = _names(node, "initializer") | _names(node, "update")
            if any(changed & (_names(inner, "initializer") | _names(inner, "condition")) for inner in loops):
                return True
            loops.append(node)
        below = node
    return False


def _names(loop: Node, field: str) -> set[bytes | None]:
    """The identifiers in a part of a loop's head."""
    part = loop.child_by_field_name(field)
    return set() if part is None else {node.text for node in walk(part) if node.type == "identifier"}


def _above(node: Node, scope: Node) -> Iterator[Node]:
    here = node.parent
    while here is not None and here.id != scope.id:
        yield here
        here = here.parent


def _in_lambda(node: Node, scope: Node) -> bool:
    return any(n.type == "lambda_expression" for n in _above(node, scope))


def _element(node: Node) -> Node:
    """`v`, or `v[i][j]`, or `v.x` around the identifier."""
    here = node
    while here.parent is not None and (
        (
            here.parent.type == "subscript_expression"
            and _same(here.parent.child_by_field_name("argument"), here)
        )
        or here.parent.type == "parenthesized_expression"
        or (
            here.parent.type == "field_expression"
            and _same(here.parent.child_by_field_name("argument"), here)
        )
    ):
        here = here.parent
    return here


def _subscripts(use: Node) -> int:
    """How many follow an identifier."""
    count, here, last = 0, use, _element(use)
    while here.id != last.id and here.parent is not None:
        here = here.parent
        count += here.type == "subscript_expression"
    return count


def _dimensions(declared: Node) -> int:
    count, here = 0, declared.parent
    while here is not None and here.type == "array_declarator":
        count, here = count + 1, here.parent
    return count


def _same(a: Node | None, b: Node) -> bool:
    return a is not None and a.id == b.id


def _first_evaluated(uses: list[Node]) -> Node:
    """In `v = f(v)` the right side comes first."""
    first = uses[0]
    element = _element(first)
    parent = element.parent
    if (
        parent is not None
        and parent.type == "assignment_expression"
        and _same(parent.child_by_field_name("left"), element)
    ):
        right = parent.child_by_field_name("right")
        for use in uses[1:]:
            if (
                right is not None
                and right.start_byte <= use.start_byte < right.end_byte
                and use.text == first.text
            ):
                return use
    return first


def _reads(use: Node) -> bool:
    """Does this use read the value, beyond doubt?"""
    element = _element(use)
    parent = element.parent
    if parent is None:
        return False
    match parent.type:
        case "assignment_expression":
            if not _same(parent.child_by_field_name("left"), element):
                return True
            operator = parent.child_by_field_name("operator")
            return operator is not None and operator.text != b"="
        case "update_expression" | "binary_expression" | "return_statement":
            # `stream >> v` stores.
            return b">>" not in (c.type.encode() for c in parent.children) or _same(
                parent.child_by_field_name("left"), element
            )
        case _:
            return False  # its address, an argument that may be a reference, a cast to void, sizeof


def _stores(use: Node) -> bool:
    parent = _element(use).parent
    return parent is not None and parent.type in ("assignment_expression", "update_expression")
