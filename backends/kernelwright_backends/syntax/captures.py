"""Captures of a query within a time that the length of the text bounds, since files are read while they are typed."""

from tree_sitter import Node, Query, QueryCursor

_MANY = 2000


def captures(query: Query, node: Node) -> dict[str, list[Node]]:
    """The nodes of each capture; none below a node that no program has.

    Of signs that the parser could make nothing of, one beside the other, the cursor looks at all later ones for each: a
    minute for a hundred thousand opening braces.
    """
    if node.has_error and node.descendant_count > _MANY and _heap_of_signs(node):
        return {}
    return QueryCursor(query).captures(node)


def _heap_of_signs(root: Node) -> bool:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count - node.named_child_count > _MANY and node.named_child_count < _MANY:
            return True
        waiting.extend(child for child in node.children if child.has_error and child.child_count)
    return False
