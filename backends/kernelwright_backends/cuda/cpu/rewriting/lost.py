"""Code that the grammar takes for something else, such as a block among the arguments of a macro."""

from tree_sitter import Node

# In what no code is to be looked for.
NO_CODE = frozenset(
    ("comment", "string_literal", "raw_string_literal", "char_literal", "preproc_def", "preproc_function_def", "preproc_arg")
)  # fmt: skip


def types_around(root: Node, at: int) -> set[str]:
    """The types of the nodes in which byte `at` stands."""
    found: set[str] = set()
    here = root.descendant_for_byte_range(at, at + 1)
    while here is not None:
        found.add(here.type)
        here = here.parent
    return found


def statement_end(text: bytes, inside: int) -> int:
    """Behind the bracket that closes the one before `inside`."""
    depth, at, quoted = 1, inside, False
    while at < len(text) and depth:
        if text[at] == 0x5C:
            at += 1
        elif text[at] == 0x22:
            quoted = not quoted
        elif not quoted:
            depth += (text[at] == 0x28) - (text[at] == 0x29)
        at += 1
    return at
