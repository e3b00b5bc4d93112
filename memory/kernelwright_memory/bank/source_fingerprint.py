"""When are two sources the same kernel? When they differ in comments and blanks only."""

import hashlib
from functools import cache

from tree_sitter import Language, Node, Parser


def fingerprint(source: str) -> str:
    """Hash of the source's syntax tree without comments and blanks (tree-sitter's CUDA grammar, which reads
    C++ too).
    """
    tree = _parser().parse(source.encode())
    leaves: list[bytes] = []
    _collect(tree.root_node, leaves)
    return hashlib.sha256(b"\0".join(leaves)).hexdigest()[:32]


def _collect(root: Node, leaves: list[bytes]) -> None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "comment":
            continue
        if node.child_count == 0 or node.type in ("string_literal", "raw_string_literal", "preproc_arg"):
            # An argument of the preprocessor is text to the grammar: blanks inside it are joined.
            leaves.append(
                b" ".join((node.text or b"").split()) if node.type == "preproc_arg" else node.text or b""
            )
        else:
            waiting.extend(reversed(node.children))


@cache
def _parser() -> Parser:
    import tree_sitter_cuda

    return Parser(Language(tree_sitter_cuda.language()))
