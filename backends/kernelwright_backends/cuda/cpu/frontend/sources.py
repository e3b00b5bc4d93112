"""The files of one translation unit of CUDA, parsed and rewritten."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node, Tree

from kernelwright_backends.cuda.cpu import prebuilt as tools
from kernelwright_backends.cuda.cpu.analysis.declarations import Kernels
from kernelwright_backends.cuda.cpu.analysis.device_variables import misplaced_variables
from kernelwright_backends.cuda.cpu.analysis.placement import Misplaced, misplaced
from kernelwright_backends.cuda.cpu.frontend.parsing import hidden_qualifiers, parse
from kernelwright_backends.cuda.cpu.rewriting.fragment import Document
from kernelwright_backends.cuda.cpu.rewriting.inline_ptx import UNSUPPORTED_MARK
from kernelwright_backends.cuda.cpu.rewriting.rewrite import rewrite
from kernelwright_backends.host.configured_headers import FOR_A_DEVICE, generated
from kernelwright_backends.host.header_search import HeaderSearch, looks_for_itself
from kernelwright_backends.host.sources import LARGEST_PARSED_BYTES, Sources, header_name
from kernelwright_backends.host.transitive_includes import transitive_includes
from kernelwright_backends.syntax.blanking import qualifier_macros
from kernelwright_backends.syntax.program_main import is_program_main
from kernelwright_backends.syntax.text import Lines, walk

_MOST_HEADERS = 1000
# Of all files of a unit together: more is parsed by no compiler in time either.
_MOST_BYTES = 16 << 20
# What only C++20 has: its headers, its words where they can be nothing else.
_CPP20 = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*<(?:concepts|span|ranges|bit|numbers|compare|source_location|barrier|latch|semaphore|"
    rb"coroutine|stop_token|version|syncstream)>|\bconcept\s+\w+\s*=|\brequires\s*[({]|\bconsteval\b|\bconstinit\b|<=>|"
    rb"\]<\s*(?:typename|class)\b|\[\[(?:un)?likely\]\]|\bco_(?:yield|await|return)\b",
    re.MULTILINE,
)
# Of files that nvcc alone compiles.
_DEVICE_SUFFIXES = (".cu", ".cuh")
_HEADER_SUFFIXES = (".cuh", ".h", ".hpp", ".hxx", ".inl")
# In place of a header that is looked at alone and includes itself by way of others: it comes but once.
_ALREADY_READ = "<cuda_runtime.h>"
_WITH_DEVICE = re.compile(
    rf"{FOR_A_DEVICE}|GPU|CUDA|(?:GPU|CUDA)_(?:ENABLED?|SUPPORT|AVAILABLE|BUILD)|(?:WITH|USE|HAVE)(?:CUDA|GPU)|"
    r"(?:\w+_)?(?:BF16|BFLOAT16)_(?:AVAILABLE|SUPPORTED)".encode()
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_INCLUDE = re.compile(rb"#[ \t]*include[ \t]*(\"[^\"\r\n]*\"|<[^>\r\n]*>)")
_INCLUDE_LINE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*([\"<])", re.MULTILINE)
_NO_CODE = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def standard_of(text: bytes) -> str:
    """The oldest of C++17 and C++20 that a text asks for."""
    return "c++20" if _CPP20.search(_NO_CODE.sub(b" ", text)) else "c++17"


@dataclass
class CudaSources(Sources):
    """What CUDA adds: what the files ask of the compiler, and what was made of their device code."""

    misplaced: list[tuple[Path, Misplaced]] = field(default_factory=list)
    assumed: tuple[str, ...] = ()  # macros that a build for a device sets and that nothing here does

    @property
    def standard(self) -> str:
        """The oldest of C++17 and C++20 that the text asks for."""
        return standard_of(self.all_text)

    @property
    def says_what_a_device_does(self) -> bool:
        """Was anything of this unit rewritten into words of our headers?"""
        return any(b"::kw::" in rewritten.text for rewritten in self.files.values())

    @property
    def all_executed(self) -> bool:
        """Does nothing stand in it that is refused where code is made of it?"""
        return not any(UNSUPPORTED_MARK.encode() in rewritten.text for rewritten in self.files.values())

    @property
    def has_device_variables(self) -> bool:
        return any(
            b"KW_DEVICE_VARIABLE" in r.text or b"KW_CONSTANT_VARIABLE" in r.text
            for unit in self.units
            for r in unit.files.values()
        )

    def included_before(self, path: Path) -> bytes:
        """Also the headers of the device's words that it was rewritten into."""
        rewritten = self.files[path]
        # A header may be included within a class.
        assembly = path == self.main and any(b"kw::ptx::" in file.text for file in self.files.values())
        of_assembly = b"#include <kernelwright/ptx.h>\n" if assembly else b""
        return of_assembly + transitive_includes(rewritten.original, device_atomics=True)


def collect(path: Path, text: bytes, folders: Sequence[Path]) -> CudaSources:
    """Parse and rewrite `text`, which stands for `path`, and every header of the workspace that it includes."""
    trees: dict[Path, tuple[bytes, Tree]] = {}
    includes: dict[Path, list[tuple[int, int, Path]]] = {}
    copies: dict[Path, list[tuple[int, int, str]]] = {}
    kernels = Kernels()
    search = HeaderSearch(path, folders, (tools.INCLUDE, tools.SHIM))
    waiting = [(path, text)]
    size_bytes, unread = 0, False
    while waiting and len(trees) < _MOST_HEADERS:
        here, content = waiting.pop()
        if here in trees:
            continue
        size_bytes += len(content)
        if size_bytes > _MOST_BYTES:
            unread = True
            break
        tree = parse(content)
        trees[here] = (content, tree)
        includes[here], copies[here] = [], []
        places = list(_included(tree.root_node, content))
        starts = {start for start, _ in places}
        unread = unread or any(m.start(1) not in starts for m in _INCLUDE_LINE.finditer(content))
        for start, end in places:
            name = content[start:end].decode("utf-8", "replace")
            found = search.find(name, here.parent)
            if found is not None and (library := search.in_place_of(name, found)) is not None:
                copies[here].append((start, end, library))
                continue
            if found is None:
                ours = search.copied(name)
                if ours is not None:
                    copies[here].append((start, end, ours))
                    continue
                made = generated(name, search.above, search.reach) if search.is_missing(name) else None
                if made is None:
                    continue
                found, written = made
                includes[here].append((start, end, found))
                if found not in trees:
                    waiting.append((found, written))
                continue
            try:
                read = trees[found][0] if found in trees else search.reach.read(found)
            except OSError as error:
                search.refused.setdefault(name.strip('<>" '), str(error))
                continue
            if len(read) > LARGEST_PARSED_BYTES:
                unread = True
                continue
            includes[here].append((start, end, found))
            if found not in trees:
                waiting.append((found, read))
    unread = unread or bool(waiting)
    macros = _shared_macros(trees)
    for here, (content, _) in trees.items():
        if any(name.rstrip(b"(") in content for name in macros):
            trees[here] = (content, parse(content, macros))
    marks = {here: hidden_qualifiers(content, macros) for here, (content, _) in trees.items()}
    for here, (content, tree) in trees.items():
        kernels.learn(tree.root_node, content, marks[here])
    documents = [
        Document(here, content, tree, [
            *((start, end, f'"{header_name(found)}"' if found != path else _ALREADY_READ)
              for start, end, found in includes[here]
              if found in trees and (found != path or path.suffix in _HEADER_SUFFIXES)),
            *copies[here],
        ], marks[here])
        for here, (content, tree) in trees.items()
    ]  # fmt: skip
    files = rewrite(documents, kernels)
    breaches = [
        (here, breach)
        for here, (content, tree) in trees.items()
        for breach in (
            *misplaced(tree.root_node, content, Lines(content), marks[here], kernels.overloaded),
            *misplaced_variables(tree.root_node, content, Lines(content)),
        )
    ]
    main = _main(trees[path][1].root_node)
    return CudaSources(
        path,
        files,
        main is not None,
        (*folders, *search.discovered),
        guessed=frozenset(search.discovered),
        misplaced=breaches,
        assumed=_assumed(trees) if path.suffix in _DEVICE_SUFFIXES else (),
        refused=search.refused,
        looks_for_itself=unread or any(looks_for_itself(content) for content, _ in trees.values()),
        reach=search.reach,
    )


def _included(root: Node, text: bytes) -> Iterator[tuple[int, int]]:
    """Where the paths of includes stand, also of those in a class or among the values of an array, where the grammar has none."""
    for node in walk(root):
        if node.type in ("#include", "preproc_directive"):
            match = _INCLUDE.match(text, node.start_byte)
            if match is not None:
                yield match.span(1)


def _assumed(trees: Mapping[Path, tuple[bytes, Tree]]) -> tuple[str, ...]:
    """`WITH_CUDA` and its like that the files ask for and nowhere set, and what every device has that a build is made for today."""
    asked: dict[str, None] = {}
    settled: set[bytes] = set()
    # PyTorch has names of its own that a macro `CUDA` would take the place of.
    if any(tools.prelude_of(content) == "torch" for content, _ in trees.values()):
        settled |= {b"CUDA", b"GPU"}
    for content, tree in trees.values():
        if not any(word in content for word in (b"CUDA", b"GPU", b"BF16_", b"BFLOAT16_")):
            continue
        for node in walk(tree.root_node):
            if node.type in ("preproc_def", "preproc_function_def"):
                settled.update(_WORD.findall(_text(node.child_by_field_name("name"))))
            elif node.type == "preproc_call":  # #undef
                settled.update(_WORD.findall(_text(node)))
            elif node.type in ("preproc_ifdef", "preproc_defined"):
                name = node.child_by_field_name("name") or next(iter(node.named_children), None)
                if name is not None and name.text is not None and _WITH_DEVICE.fullmatch(name.text):
                    asked[name.text.decode()] = None
    return tuple(name for name in asked if name.encode() not in settled)


def _text(node: Node | None) -> bytes:
    return node.text or b"" if node is not None else b""


def _shared_macros(trees: Mapping[Path, tuple[bytes, Tree]]) -> dict[bytes, bytes]:
    """Macros for qualifiers that one file defines and another may use."""
    found: dict[bytes, bytes] = {}
    if len(trees) > 1:
        for content, _ in trees.values():
            for name, meaning in qualifier_macros(content).items():
                found[name] = found.get(name, b"") + b" " + meaning
    return found


def _main(root: Node) -> Node | None:
    return next(
        (node for node in walk(root) if node.type == "function_declarator" and is_program_main(node)), None
    )
