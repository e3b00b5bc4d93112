"""The index after an edit of one line inside one body, which leaves everything else in it true.

Typing is mostly that, and an index of many kernels takes longer to make anew than a key takes to come back up.
"""

from tree_sitter import Node

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.syntax.bodies import BodyFacts, read_body
from kernelwright_backends.syntax.tree import Change


def after_edit_of_body(
    index: SourceIndex, change: Change, root: Node, facts_before: dict[bytes, BodyFacts]
) -> tuple[SourceIndex, bytes, BodyFacts] | None:
    """The index after the change, with the edited body and what it says; None where the file must be read anew.

    Args:
        index: of the text before, in which the parser found no mistake.
        facts_before: what bodies say, by their text.
    """
    before, after = change.before, change.after
    removed, put = before[change.start : change.old_end], after[change.start : change.new_end]
    line_start = before.rfind(b"\n", 0, change.start) + 1
    line_end = before.find(b"\n", change.old_end)
    line = before[line_start:line_end] + b"|" + after[line_start : line_end + len(put) - len(removed)]
    if root.has_error or line_end < 0 or any(c in removed + put for c in b"\r\n") or b"kernelwright" in line:
        return None
    body = _body_around(root, change.start, change.new_end)
    delta = len(put) - len(removed)
    # Behind the edit, on its line, only what is inside the body may have moved.
    if body is None or body.end_byte <= line_end + delta:
        return None
    old_body = before[body.start_byte : body.end_byte - delta]
    old, new = facts_before.get(old_body), read_body(body, body.start_byte)
    if old is None or old != new or new.launches:
        return None

    def moved(function: Function) -> Function:
        if function.end_byte <= change.start:
            return function
        start = function.start_byte + (delta if function.start_byte > change.start else 0)
        return function.model_copy(update={"start_byte": start, "end_byte": function.end_byte + delta})

    kept = {name: getattr(index, name) for name in SourceIndex.model_fields}  # and nothing that was cached
    kept["functions"] = tuple(map(moved, index.functions))
    kept["kernels"] = tuple(map(moved, index.kernels))
    return SourceIndex.model_construct(**kept), after[body.start_byte : body.end_byte], new


def _body_around(root: Node, start: int, end: int) -> Node | None:
    """The body of the one function that holds these bytes, strictly inside its braces."""
    node = root.descendant_for_byte_range(start, end)
    body = None
    while node is not None:
        if node.type == "preproc_def" or node.type == "preproc_function_def":
            return None
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
        node = node.parent
    if body is None or body.type != "compound_statement":
        return None
    return body if body.start_byte < start and end < body.end_byte else None
