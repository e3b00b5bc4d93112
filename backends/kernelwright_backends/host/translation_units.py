"""The other translation units of a program: files beside it that define what it declares and does not define.

Without a build system nobody says what is linked; the names do. A file that is not needed is never compiled.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

from tree_sitter import Node, Tree

from kernelwright_backends.host.nearby_sources import (
    DEEPEST,
    LARGEST_BYTES,
    MOST_FILES,
    is_readable_source,
    sources_near,
)
from kernelwright_backends.host.sources import Sources
from kernelwright_backends.syntax.program_main import is_program_main
from kernelwright_backends.syntax.text import walk
from kernelwright_backends.untrusted.reach import Reach
from kernelwright_backends.untrusted.reading import read_bounded

SUFFIXES = (".cu", ".asc", ".cpp", ".cc", ".cxx", ".c")
_MOST_UNITS = 40
_HEADER_FOLDERS, _SOURCE_FOLDERS = (
    ("include", "inc", "includes", "headers"),
    ("src", "lib", "source", "sources"),
)
_NAME = re.compile(rb"[A-Za-z_]\w*")
_TEMPLATE_ARGUMENTS = re.compile(rb"<[^()]*>")
_NAMESPACE_SCOPE = ("translation_unit", "declaration_list", "linkage_specification")


_Unit = TypeVar("_Unit", bound=Sources)


def add_translation_units(
    program: _Unit,
    unit_of: Callable[[Path, bytes, tuple[Path, ...]], _Unit],
    read: Callable[[bytes], Tree],
    wanted: Collection[bytes] = (),
) -> None:
    """Put the translation units that `program` needs into its `others`.

    Args:
        unit_of, read: the dialect's own `collect` and `parse`.
        wanted: names that it needs besides those that it declares.
    """
    missing = _missing(program) | frozenset(wanted)
    if not missing:
        return
    candidates = _candidates(program.main)
    seen = {program.main, *candidates}
    _add_those_of_headers(program, candidates, seen)
    defined: dict[Path, frozenset[bytes]] = {}
    while missing and candidates and len(program.others) < _MOST_UNITS:
        best: tuple[tuple[int, bool], Path] | None = None
        for path, text in candidates.items():
            if not any(_last(name) in text for name in missing):
                continue
            if path not in defined:
                defined[path] = _definitions_of_unit(text, read)
            # Where a project keeps the same functions in several languages, those of the program's own.
            worth = len(defined[path] & missing), path.suffix == program.main.suffix
            if worth[0] and (best is None or worth > best[0]):
                best = (worth, path)
        if best is None:
            return
        path = best[1]
        unit = unit_of(path, candidates.pop(path), program.folders)
        unit.guessed |= program.guessed
        program.others.append(unit)
        _add_those_of_headers(unit, candidates, seen)
        missing = (missing | _missing(unit)) - _definitions(unit)
        for other in program.units:
            missing -= _definitions(other)


def _candidates(main: Path) -> dict[Path, bytes]:
    """Sources below the program's folder by path, nearest first; never another program."""
    found: dict[Path, bytes] = {}
    for path in sources_near(main, SUFFIXES):
        with suppress(OSError):
            found[path] = read_bounded(path, limit_bytes=LARGEST_BYTES)
    return found


def _add_those_of_headers(unit: Sources, candidates: dict[Path, bytes], seen: set[Path]) -> None:
    """Sources by the name of a header of `unit`, beside it or where its project keeps sources, and of the latter those around them:
    they lie above a program too."""

    reach = Reach(unit.main, unit.folders)

    def add(source: Path) -> None:
        if source not in seen and len(candidates) < MOST_FILES and is_readable_source(source, reach):
            seen.add(source)
            with suppress(OSError):
                candidates[source] = reach.read(source, limit_bytes=LARGEST_BYTES)

    headers = [header for header in unit.files if header.suffix not in SUFFIXES]
    for header in headers:
        for folder in (header.parent, header.parent.parent / "src", *_source_folders(header)):
            for suffix in SUFFIXES:
                add((folder / header.name).with_suffix(suffix))
    for folder in dict.fromkeys(folder for header in headers for folder in _source_folders(header)):
        for pattern in ("*", "*/*"):
            for source in sorted(islice(folder.glob(pattern), MOST_FILES)):
                if source.suffix in SUFFIXES:
                    add(source)


def _source_folders(header: Path) -> Iterator[Path]:
    """Where the source of a header of `include` may lie: for `include/net/layer.h` in `src/net`, or in `src`."""
    parts = header.parent.parts
    for at in range(max(0, len(parts) - DEEPEST - 1), len(parts)):
        if parts[at] in _HEADER_FOLDERS:
            for name in _SOURCE_FOLDERS:
                for further in dict.fromkeys((parts[at + 1 :], parts[at + 2 :])):
                    if (folder := Path(*parts[:at], name, *further)).is_dir():
                        yield folder


def _definitions_of_unit(text: bytes, read: Callable[[bytes], Tree]) -> frozenset[bytes]:
    root = read(text).root_node
    if any(node.type == "function_declarator" and is_program_main(node) for node in walk(root)):
        return frozenset()
    return frozenset(_defined(root))


def _definitions(unit: Sources) -> frozenset[bytes]:
    return frozenset(name for file in unit.files.values() for name in _defined(file.tree.root_node))


def _missing(unit: Sources) -> frozenset[bytes]:
    """Names that the unit declares, or, in C, only calls, and does not define."""
    declared: set[bytes] = set()
    for file in unit.files.values():
        declared |= set(_declared(file.tree.root_node))
    declared -= _definitions(unit)
    # C lets a function be called that nothing declares.
    undeclared = (
        frozenset(_called(unit.files[unit.main].tree.root_node)) - _definitions(unit)
        if unit.main.suffix == ".c"
        else frozenset()
    )
    if not declared:
        return undeclared
    words = Counter(word for file in unit.files.values() for word in _NAME.findall(file.original))
    return frozenset(name for name in declared if words[_last(name)] > 1) | undeclared


def _last(name: bytes) -> bytes:
    return name.rsplit(b"::", 1)[-1]


def _defined(root: Node) -> Iterator[bytes]:
    """The names of what a file defines; a function's also with the class, or the namespace, in which it is."""
    for node in walk(root):
        if node.type == "function_definition":
            name = _name(node)
            if name is not None:
                yield _last(name)
                yield _of_class(node, name)
        elif node.type == "compound_statement" and _at_namespace_scope(node):
            name = _old_style_name(node)
            if name is not None:
                yield name
        elif node.type == "declaration" and _at_namespace_scope(node) and not _says(node, b"extern"):
            for declarator in node.children_by_field_name("declarator"):
                while declarator.type in ("init_declarator", "pointer_declarator", "array_declarator"):
                    inner = declarator.child_by_field_name("declarator")
                    if inner is None:
                        break
                    declarator = inner
                if declarator.type == "identifier" and declarator.text is not None:
                    yield declarator.text
                elif declarator.type == "qualified_identifier":  # of a class
                    yield b"::".join(_NAME.findall(_TEMPLATE_ARGUMENTS.sub(b"", declarator.text or b""))[-2:])


def _old_style_name(body: Node) -> bytes | None:
    """Of `f(x) int x; {...}`, which the grammar takes for a call or a declaration, those of the parameters and a body: its name."""
    before = body.prev_named_sibling
    while before is not None and before.type in ("declaration", "comment", "ERROR", "expression_statement"):
        for node in walk(before):
            if node.type in ("call_expression", "function_declarator") or (
                node.type == "init_declarator" and _is_list(node.child_by_field_name("value"))
            ):
                name = node.child_by_field_name("function") or node.child_by_field_name("declarator")
                while name is not None and name.type == "pointer_declarator":
                    name = name.child_by_field_name("declarator")
                return name.text if name is not None else None
        before = before.prev_named_sibling
    return None


def _is_list(value: Node | None) -> bool:
    return value is not None and value.type == "argument_list"


def _called(root: Node) -> Iterator[bytes]:
    for node in walk(root):
        if node.type == "call_expression":
            name = node.child_by_field_name("function")
            if name is not None and name.type == "identifier" and name.text is not None:
                yield name.text


def _declared(root: Node) -> Iterator[bytes]:
    for node in walk(root):
        if node.type == "field_declaration" or (
            node.type == "declaration" and (_at_namespace_scope(node) or _in_class(node))
        ):
            if _says(node, b"static") and not _in_class(node):
                continue
            name = _name(node)
            if name is not None:
                yield _of_class(node, name) if _in_class(node) else _last(name)
            elif _in_class(node):
                if _says(node, b"static") and node.child_by_field_name("default_value") is None:
                    for declarator in node.children_by_field_name("declarator"):
                        if declarator.type == "field_identifier" and declarator.text is not None:
                            yield _of_class(node, declarator.text)
            elif _says(node, b"extern"):
                for child in walk(node):
                    if child.type == "identifier" and child.text is not None:
                        yield child.text


def _at_namespace_scope(node: Node) -> bool:
    parent = _around(node)
    return parent is not None and parent.type in _NAMESPACE_SCOPE


def _in_class(node: Node) -> bool:
    parent = _around(node)
    return parent is not None and parent.type == "field_declaration_list"


def _around(node: Node) -> Node | None:
    """What a declaration stands in; the conditions and the template's head before it are its own."""
    parent = node.parent
    while parent is not None and (
        parent.type.startswith("preproc_") or parent.type == "template_declaration"
    ):
        parent = parent.parent
    return parent


def _of_class(node: Node, name: bytes) -> bytes:
    """`Class::name` of what stands in the class's body; else the name as it is."""
    body = _around(node)
    if body is None or body.type != "field_declaration_list" or body.parent is None:
        return name
    owner = body.parent.child_by_field_name("name")
    words = (
        _NAME.findall(owner.text.split(b"<", 1)[0]) if owner is not None and owner.text is not None else ()
    )
    return words[-1] + b"::" + _last(name) if words else name


def _says(node: Node, word: bytes) -> bool:
    # `extern "C"` before one declaration belongs to it too.
    return any(child.type == "storage_class_specifier" and child.text == word for child in node.children)


def _name(node: Node) -> bytes | None:
    """The last name of the function that `node` declares or defines, behind its scope's; None where it is none."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    if name is None or name.text is None or name.type == "parenthesized_declarator":
        return None
    words = _NAME.findall(_TEMPLATE_ARGUMENTS.sub(b"", name.text))
    return b"::".join(words[-2:]) if words else None
