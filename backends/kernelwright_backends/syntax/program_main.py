"""Which function of a text is its program's `main`."""

from tree_sitter import Node


def is_program_main(declarator: Node) -> bool:
    """Is this function declarator that of the program's `main`, wherever the parser's recovery put it?"""
    name, parent = declarator.child_by_field_name("declarator"), declarator.parent
    if name is None or name.text != b"main" or parent is None or parent.type != "function_definition":
        return False
    here = parent.parent
    while here is not None:
        if here.type in (
            "function_definition",
            "namespace_definition",
            "class_specifier",
            "struct_specifier",
        ):
            return False
        here = here.parent
    return True
