"""The files of one translation unit: the candidate and the headers of the workspace that it includes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node, Tree

from kernelwright_backends.cuda.cpu.placement import Misplaced, misplaced
from kernelwright_backends.cuda.cpu.rewrite import (
    Kernels,
    Rewritten,
    hidden_qualifiers,
    is_program_main,
    parse,
    rewrite,
)
from kernelwright_backends.cuda.cpu.text import Lines, walk
from kernelwright_backends.finding import Range

_MOST_HEADERS = 200


@dataclass
class Sources:
    main: Path
    files: dict[Path, Rewritten]  # by path; the candidate first
    has_main: bool
    main_parameters: int
    misplaced: list[tuple[Path, Misplaced]]

    @property
    def all_text(self) -> bytes:
        return b"\n".join(rewritten.original for rewritten in self.files.values())

    @property
    def has_device_variables(self) -> bool:
        return any(
            b"KW_DEVICE_VARIABLE" in r.text or b"KW_CONSTANT_VARIABLE" in r.text for r in self.files.values()
        )

    def write(self, folder: Path, thunk: str) -> None:
        """The rewritten files in `folder`: `candidate.cpp` and its headers, each under its user's name."""
        for path, rewritten in self.files.items():
            name = "candidate.cpp" if path == self.main else header_name(path)
            spelled = str(path).replace("\\", "\\\\").replace('"', '\\"')
            ending = thunk.encode() if path == self.main else b"\n"
            once = b"#pragma once\n" if b"#pragma once" in rewritten.original else b""
            if b"kw::ptx::" in rewritten.text:
                once += b"#include <kernelwright/ptx.h>\n"
            (folder / name).write_bytes(once + f'#line 1 "{spelled}"\n'.encode() + rewritten.text + ending)

    def first_use(self, name: str) -> tuple[Path, Range] | None:
        """Where `name` is first called."""
        for path, rewritten in self.files.items():
            for node in walk(rewritten.tree.root_node):
                function = node.child_by_field_name("function") if node.type == "call_expression" else None
                if function is not None and function.text is not None:
                    plain = function.text.decode("utf-8", "replace").split("<", 1)[0].rsplit("::", 1)[-1]
                    if plain == name:
                        return path, rewritten.lines.range(function.start_byte, function.end_byte)
        return None


def header_name(path: Path) -> str:
    """A name for a rewritten header that no other header has."""
    return f"{hashlib.sha256(str(path).encode()).hexdigest()[:12]}-{path.name}"


def collect(path: Path, text: bytes, folders: Sequence[Path]) -> Sources:
    """Parse and rewrite `text`, which stands for `path`, and every quoted header that is found from it."""
    trees: dict[Path, tuple[bytes, Tree]] = {}
    includes: dict[Path, list[tuple[Node, Path]]] = {}
    kernels = Kernels()
    waiting = [(path, text)]
    while waiting and len(trees) < _MOST_HEADERS:
        here, content = waiting.pop()
        if here in trees:
            continue
        tree = parse(content)
        trees[here] = (content, tree)
        kernels.learn(tree.root_node)
        includes[here] = []
        for node in walk(tree.root_node):
            if node.type != "preproc_include":
                continue
            spelled = node.child_by_field_name("path")
            if spelled is None or spelled.text is None or not spelled.text.startswith(b'"'):
                continue
            found = _resolve(spelled.text.decode("utf-8", "replace").strip('"'), here.parent, folders)
            if found is None:
                continue
            includes[here].append((spelled, found))
            if found not in trees:
                waiting.append((found, found.read_bytes()))
    files = {}
    for here, (content, tree) in trees.items():
        replaced = [(node.start_byte, node.end_byte, f'"{header_name(found)}"')
                    for node, found in includes[here] if found in trees and found != path]  # fmt: skip
        files[here] = rewrite(here, content, kernels, tree, replaced)
    main = _main(trees[path][1].root_node)
    parameters = main.child_by_field_name("parameters") if main is not None else None
    count = len([p for p in parameters.named_children if p.type == "parameter_declaration"
                 and p.text != b"void"]) if parameters is not None else 0  # fmt: skip
    breaches = [
        (here, breach)
        for here, (content, tree) in trees.items()
        for breach in misplaced(tree.root_node, content, Lines(content), hidden_qualifiers(content))
    ]
    return Sources(path, files, main is not None, count, breaches)


def _resolve(name: str, here: Path, folders: Sequence[Path]) -> Path | None:
    for folder in (here, *folders):
        candidate = folder / name
        try:
            if candidate.is_file():
                return candidate.resolve()
        except OSError:
            return None
    return None


def _main(root: Node) -> Node | None:
    return next(
        (node for node in walk(root) if node.type == "function_declarator" and is_program_main(node)), None
    )
