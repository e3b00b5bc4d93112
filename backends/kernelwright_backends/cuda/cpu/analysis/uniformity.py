"""Is the address of an atomic operation one for all threads of a block, as a compiler can tell? nvcc then adds up whole numbers
within a warp before one lane goes out (seen in the SASS of nvcc 13.0); else the memory takes lane by lane."""

from tree_sitter import Node

_OF_THREAD = b"threadIdx"
_FUNCTIONS = frozenset(("function_definition", "lambda_expression"))


def is_uniform(root: Node, at: int) -> bool:
    """Whether the first argument of the call at byte `at` depends on no thread's number. False where nothing is called there."""
    node = root.descendant_for_byte_range(at, at)
    while node is not None and node.type != "call_expression":
        node = node.parent
    arguments = node.child_by_field_name("arguments") if node is not None else None
    if node is None or arguments is None or not arguments.named_children:
        return False
    function = node
    while function.parent is not None and function.type not in _FUNCTIONS:
        function = function.parent
    return not _differs(arguments.named_children[0], _values(function), set())


def _values(function: Node) -> dict[bytes, list[Node]]:
    """By variable, what it is given anywhere in the function."""
    given: dict[bytes, list[Node]] = {}
    waiting = [function]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "init_declarator":
            target, value = node.child_by_field_name("declarator"), node.child_by_field_name("value")
        elif node.type == "assignment_expression":
            target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        else:
            continue
        while target is not None and target.type != "identifier":
            target = target.named_children[0] if target.named_children else None
        if target is not None and target.text is not None and value is not None:
            given.setdefault(target.text, []).append(value)
    return given


def _differs(expression: Node, given: dict[bytes, list[Node]], seen: set[bytes]) -> bool:
    """Between threads. What a function returns may."""
    if expression.type == "identifier" and expression.text is not None:
        name = expression.text
        if name == _OF_THREAD:
            return True
        if name in seen:
            return False
        return any(_differs(value, given, seen | {name}) for value in given.get(name, ()))
    if expression.type == "call_expression":
        return True
    return any(_differs(child, given, seen) for child in expression.named_children)
