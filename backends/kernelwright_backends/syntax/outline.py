"""Where the definitions of a file stand in its tree, and what stands around them; also while half of one is typed."""

from collections.abc import Iterator
from functools import cache

from tree_sitter import Node, Query

from kernelwright_backends.syntax.bodies import in_the_text, name_of
from kernelwright_backends.syntax.captures import captures
from kernelwright_backends.syntax.declarations import text_of
from kernelwright_backends.syntax.tree import language

# What only a text with mistakes holds; bodies behind an unclosed `if (` look like initialisers.
_DAMAGE_QUERY = """
(compound_statement (function_definition) @function)
(compound_statement (template_declaration (function_definition) @function))
(compound_statement (linkage_specification (function_definition) @function))
(ERROR (function_definition) @function)
(ERROR (template_declaration (function_definition) @function))
(declaration declarator: (function_declarator) value: (initializer_list)) @function
(declaration declarator: (init_declarator declarator: (function_declarator) value: (initializer_list))) @function
(ERROR (function_declarator) @head)
(parameter_declaration "__global__" declarator: (function_declarator) @head)
(ERROR) @error
(MISSING) @missing
"""
_SCOPES = frozenset({"namespace_definition", "struct_specifier", "class_specifier", "union_specifier"})
_RECORDS = _SCOPES - {"namespace_definition"}
# What holds declarations. The statements of bodies, which are most of a file, are not gone through.
_CONTAINERS = _SCOPES | {
    "translation_unit", "declaration_list", "linkage_specification", "template_declaration", "field_declaration_list",
    "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "ERROR",
}  # fmt: skip
# Of these, the ones through which the query is led to what is damaged within.
_OPENED = frozenset({"namespace_definition", "declaration_list", "linkage_specification"})
_DECLARING = frozenset({"declaration", "field_declaration", "type_definition"})


def outline(root: Node, text: bytes) -> dict[str, list[Node]]:
    """The functions, includes, macros and aliases of a file, outside of bodies, each kind in the order of the text; of what holds
    mistakes also the heads of kernels without a body (`head`) and the mistakes themselves (`error`, `missing`).
    """
    found = _declarations(root)
    if root.has_error:
        for damaged in _damaged(root, text):
            for name, nodes in captures(_damage_query(), damaged).items():
                found.setdefault(name, []).extend(nodes)
    return {
        name: sorted({node.id: node for node in nodes}.values(), key=in_the_text)
        for name, nodes in found.items()
    }


def _declarations(root: Node) -> dict[str, list[Node]]:
    """Those that the parser understood."""
    found: dict[str, list[Node]] = {}
    waiting = [root]
    while waiting:
        for node in waiting.pop().named_children:
            kind = node.type
            if kind == "function_definition":
                found.setdefault("function", []).append(node)
            elif kind in _CONTAINERS:
                waiting.append(node)
            elif kind == "preproc_include":
                path = node.child_by_field_name("path")
                found.setdefault("include", []).extend([path] if path is not None else [])
            elif kind in ("preproc_def", "preproc_function_def"):
                name = node.child_by_field_name("name")
                key = "define" if kind == "preproc_def" else "macro"
                found.setdefault(key, []).extend([name] if name is not None else [])
            elif kind == "alias_declaration":
                found.setdefault("alias", []).append(node)
            if kind == "type_definition":
                found.setdefault("typedef", []).append(node)
            if kind in _DECLARING or kind == "function_definition":
                # `struct Functor { ... } functor;`, and a struct as a return type
                record = node.child_by_field_name("type")
                if record is not None and record.type in _RECORDS:
                    waiting.append(record)
    return found


@cache
def _damage_query() -> Query:
    return Query(language(), _DAMAGE_QUERY)


def _damaged(root: Node, text: bytes) -> Iterator[Node]:
    """The declarations that hold mistakes, each as small as it is: the query takes as long as what it goes through is, and
    somebody is typing. A function whose head was misread may look like a variable that a list initialises, without a mistake.
    """
    if root.type == "ERROR":
        yield root
        return
    waiting = [root]
    while waiting:
        for child in waiting.pop().children:
            if child.has_error or child.is_missing:
                if child.type in _OPENED:
                    waiting.append(child)
                else:
                    yield child
            elif child.type == "declaration" and b"{" in text[child.start_byte : child.end_byte]:
                yield child


def surroundings(node: Node) -> tuple[list[str], bool, Node | None, Node]:
    """(scopes from the outside in, whether a struct holds it, its template head, the whole definition)."""
    scopes: list[str] = []
    member, template, outermost, climbing = False, None, node, True
    parent = node.parent
    while parent is not None:
        if climbing and parent.type == "template_declaration":
            template = template or parent.child_by_field_name("parameters")
            outermost = parent
        elif (
            climbing
            and parent.type == "linkage_specification"
            and parent.child_by_field_name("body") == outermost
        ):
            outermost = parent
        else:
            climbing = False
        if parent.type in _SCOPES:
            name = parent.child_by_field_name("name")
            if name is not None:
                scopes.insert(0, text_of(name).split("<", 1)[0].strip())
            member = member or (parent.type in _RECORDS)
        elif parent.type == "function_definition":
            break  # inside a block that is not closed yet
        parent = parent.parent
    return scopes, member, template, outermost


def specifiers_before(head: Node) -> list[Node]:
    """What stands before a function's declarator and belongs to it, also where the parser put an error around it."""
    result: list[Node] = []
    node: Node | None = head
    while node is not None and node.parent is not None:
        before = [c for c in node.parent.children if c.end_byte <= node.start_byte]
        for child in reversed(before):
            if (
                child.type in (";", "{", "}", ",", "(", "comment", "function_declarator")
                or child.type.endswith(("definition", "declaration", "statement"))
                or child.type.startswith("preproc")
            ):
                return result
            result.insert(0, child)
        node = node.parent if node.parent.type == "ERROR" else None
    return result


def initialiser(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    inner = declarator if declarator is not None and declarator.type == "init_declarator" else node
    return inner.child_by_field_name("value")


def nested_definition(body: Node) -> Node | None:
    """The first definition that an unclosed block swallowed, with its template head."""
    for child in body.named_children:
        if child.type == "function_definition":
            return child
        if child.type in ("template_declaration", "linkage_specification") and any(
            c.type == "function_definition" for c in child.named_children
        ):
            return child
    return None


def is_record(name: str, root: Node) -> bool:
    """Whether `name::f` is a member of a struct of this file rather than of a namespace."""
    for node in root.named_children:
        if node.type in _RECORDS:
            declared = node.child_by_field_name("name")
            if declared is not None and name_of(declared)[0] == name:
                return True
    return False
