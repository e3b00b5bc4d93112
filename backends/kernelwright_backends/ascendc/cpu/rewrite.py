"""From Ascend C to C++ that g++ compiles: launches, qualifiers that are no macros, `main`. Everything else is left as it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node, Parser, Tree

from kernelwright_backends.ascendc.cpu.launch_headers import Launched, find_launched, launched_kernel
from kernelwright_backends.ascendc.cpu.operator_headers import OperatorHeaders, stands_for_ours
from kernelwright_backends.ascendc.syntax import prepare
from kernelwright_backends.host.edits import Rewritten
from kernelwright_backends.host.header_search import looks_for_itself
from kernelwright_backends.host.sources import LARGEST_PARSED_BYTES, Sources, header_name
from kernelwright_backends.syntax.expansion import arguments_from
from kernelwright_backends.syntax.program_main import is_program_main
from kernelwright_backends.syntax.text import walk
from kernelwright_backends.syntax.tree import language
from kernelwright_backends.untrusted.reading import read_bounded

_MOST_HEADERS = 200
_MOST_BYTES = 16 << 20  # of all files of a unit together
_AICORE = re.compile(rb"\[\s*(?:host\s*,\s*)?aicore\s*\]")
# The kind of the core is known to each of the real compiler's two passes; here both are one.
_KIND_CONDITION = re.compile(rb"\bif\s+constexpr\s*(?=\((?:[^(){};]|\([^(){};]*\))*\bg_coreType\b)")
# Which cores a kernel runs on, by what its text says, else by what it uses.
_KIND = re.compile(rb"KERNEL_TASK_TYPE(?:_DEFAULT)?\s*\((?:[^,()]*,)?\s*(?:AscendC::)?KERNEL_TYPE_(\w+)\s*\)")
_MIX = re.compile(rb"__mix__\s*\(\s*(\d)\s*,\s*(\d)\s*\)")
_CUBE_WORDS = re.compile(
    rb"\b(?:REGIST_MATMUL_OBJ|Mmad|Fixpipe|ASCEND_IS_AIC|LoadData|(?:TPosition|QuePosition)::(?:A1|A2|B1|B2|CO1))\b"
)
_VECTOR_QUALIFIER = re.compile(rb"\b__vector__\b")
_CUBE_QUALIFIER = re.compile(rb"\b__cube__\b")
_GLOBAL = re.compile(rb"\b__global__\b")
_QUALIFIER = re.compile(rb"[\w\s]*\b(?:__vector__|__cube__|__mix__)\b")
_KERNEL_NAME = r"[^;{{}}]*?\bvoid\s+{}\s*\("
_KINDS = {
    b"AIV_ONLY": "AIV", b"MIX_AIV_1_0": "AIV", b"AIC_ONLY": "AIC", b"MIX_AIC_1_0": "AIC", b"MIX_AIC_1_1": "MIX_1_1",
    b"MIX_AIC_1_2": "MIX_1_2",
}  # fmt: skip
_ASSERT = re.compile(rb"(?<![\w.>:])(?:ASSERT|ASCENDC_ASSERT)\s*\(")
_LIBRARY_MATMUL = re.compile(rb"\bREGIST_MATMUL_OBJ\b")
# The name may be pasted together.
_LAUNCH_IN_TEXT = re.compile(
    rb"(?P<name>\w+(?:\s*##\s*\w+)*(?:<[^<>;{}]*>)?)(?:\s|\\)*<<<(?P<values>[^;{}]*?)>>>(?:\s|\\)*\("
)
# A kernel that is named like a function of the C library is another function of that name.
_C_KERNEL = re.compile(
    rb"\bextern\s+\"C\"\s+(?=(?:__global__|__aicore__)[\w\s()\[\],]*?\bvoid\s+(?:\w+\s+)*?(?:abs|acos|acosh|asin|asinh|atan|atan2|"
    rb"atanh|bcmp|bcopy|bzero|cbrt|ceil|copysign|cos|cosh|div|drem|erf|erfc|exp|exp10|exp2|expm1|fabs|fdim|ffs|floor|fma|fmax|fmin|"
    rb"fmod|frexp|gamma|hypot|ilogb|index|j0|j1|jn|labs|ldexp|ldiv|lgamma|lldiv|log|log10|log1p|log2|logb|lrint|lround|modf|nan|"
    rb"nearbyint|nextafter|pow|pow10|rand|random|read|remainder|remove|remquo|rename|rindex|rint|round|scalb|scalbn|select|"
    rb"significand|sin|sinh|sqrt|sync|tan|tanh|tgamma|trunc|write|y0|y1|yn)\s*\()"
)
_VECTOR_WORDS = re.compile(rb"\b(?:VECIN|VECOUT|VECCALC|ASCEND_IS_AIV)\b")


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: bytes


def parse(text: bytes) -> Tree:
    """The tree of an Ascend C document; its byte positions are the document's."""
    return Parser(language()).parse(prepare(text).text)


def core_kind(text: bytes, kernel: str = "") -> str:
    """The cores that a kernel of this text runs on: AIV, AIC, MIX_1_1 or MIX_1_2.

    Args:
        kernel: which one; what stands between its name and the next kernel says it before all else.
    """
    own = _KERNEL_NAME.format(re.escape(kernel)).encode() if kernel else None
    for part in _GLOBAL.split(text)[1:] if own else ():
        if own and re.match(own, part) and (_KIND.search(part) or _QUALIFIER.match(part)):
            text = part
            break
    kind_match = _KIND.search(text)
    if kind_match and kind_match[1] in _KINDS:
        return _KINDS[kind_match[1]]
    mix = _MIX.search(text)
    if mix:
        return f"MIX_1_{mix[2].decode()}" if mix[2] != b"0" else "AIC"
    if _VECTOR_QUALIFIER.search(text):
        return "AIV"
    if _CUBE_QUALIFIER.search(text):
        return "AIC"
    if not _CUBE_WORDS.search(text):
        return "AIV"
    if b"ASCENDC_CUBE_ONLY" in text or not (_VECTOR_WORDS.search(text) or _LIBRARY_MATMUL.search(text)):
        return "AIC"
    return "MIX_1_2"


class _Kinds(dict[str, str]):
    """By the kernel's name, found out when asked for."""

    def __init__(self, text: bytes) -> None:
        super().__init__()
        self._text = text

    def __missing__(self, kernel: str) -> str:
        self[kernel] = core_kind(self._text, kernel)
        return self[kernel]


def collect(path: Path, text: bytes, folders: Sequence[Path]) -> Sources:
    """Parse and rewrite `text`, which stands for `path`, and every quoted header that is found from it."""
    trees: dict[Path, tuple[bytes, Tree]] = {}
    includes: dict[Path, list[tuple[Node, Path]]] = {}
    spread: dict[Path, list[Node]] = {}
    launchers: dict[Path, list[_Edit]] = {}
    launched: dict[str, Launched] = {}
    search = OperatorHeaders(path, folders)
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
        includes[here] = []
        unread = unread or looks_for_itself(content)
        for node in walk(tree.root_node):
            spelled = node.child_by_field_name("path") if node.type == "preproc_include" else None
            if spelled is None or spelled.text is None or spelled.text[:1] not in (b'"', b"<"):
                continue
            name = spelled.text.decode("utf-8", "replace")
            found = search.find(name, here.parent)
            if found is None:
                if stands_for_ours(name.strip('<>" ')):
                    spread.setdefault(here, []).append(spelled)
                kernel = launched_kernel(name)
                other = find_launched(kernel, path, parse) if kernel is not None else None
                if other is not None:
                    launched[other.name] = other
                    edit = _Edit(node.start_byte, node.end_byte, other.declaration + b"\n")
                    launchers.setdefault(here, []).append(edit)
                continue
            try:
                read = trees[found][0] if found in trees else search.reach.read(found)
            except OSError as error:
                search.refused.setdefault(name.strip('<>" '), str(error))
                continue
            if len(read) > LARGEST_PARSED_BYTES:
                unread = True
                continue
            includes[here].append((spelled, found))
            if found not in trees:
                waiting.append((found, read))
    unread = unread or bool(waiting)
    everything = b"\n".join(content for content, _ in trees.values())
    kinds = _Kinds(everything)
    for other in launched.values():
        unit = collect(other.file, other.text, folders)
        kinds[other.name] = core_kind(unit.all_text, other.name)
    files = {}
    for here, (content, tree) in trees.items():
        edits = [
            _Edit(node.start_byte, node.end_byte, f'"{header_name(found)}"'.encode())
            for node, found in includes[here]
            if found in trees and found != path
        ]
        edits += [
            _Edit(node.start_byte, node.end_byte, b'"kernel_operator.h"') for node in spread.get(here, ())
        ]
        edits += launchers.get(here, [])
        files[here] = _rewritten(here, content, tree, edits, kinds)
    has_main = any(
        n.type == "function_declarator" and is_program_main(n) for n in walk(trees[path][1].root_node)
    )
    return Sources(
        path,
        files,
        has_main,
        (*folders, *search.discovered),
        refused=search.refused,
        looks_for_itself=unread,
        reach=search.reach,
    )


def unchanged(path: Path) -> Rewritten:
    """A file that is compiled as it stands, so that places in it are known."""
    content = read_bounded(path)
    return Rewritten(path, content, content, [(0, 0, len(content))], parse(content))


def _rewritten(
    path: Path, content: bytes, tree: Tree, edits: list[_Edit], kinds: Mapping[str, str]
) -> Rewritten:
    if content.startswith(b"\xef\xbb\xbf"):
        edits.append(_Edit(0, 3, b""))
    edits += [_Edit(m.start(), m.end(), b"") for m in _AICORE.finditer(content)]
    edits += [_Edit(m.start(), m.end(), b"if ") for m in _KIND_CONDITION.finditer(content)]
    edits += _assertions(content)
    edits += [_Edit(m.start(), m.end(), b"\n" * m[0].count(b"\n")) for m in _C_KERNEL.finditer(content)]
    launches: list[Node] = []
    for node in walk(tree.root_node):
        if node.type == "call_expression" and (
            any(c.type == "kernel_call_syntax" for c in node.children) or _is_launch_macro(node)
        ):
            launches.append(node)
        elif node.type == "function_declarator" and is_program_main(node):
            name = node.child_by_field_name("declarator")
            if name is not None:
                edits.append(_Edit(name.start_byte, name.end_byte, b"kernelwright_user_main"))
        elif node.type == "preproc_arg":
            edits += _launches_of_macro(node, content, kinds)
        elif node.type in ("declaration", "field_declaration"):
            edits += _constant_of_template(node)
    for node in launches:
        edits += _launch(node, content, kinds)
    edits.sort(key=lambda edit: (edit.start, edit.end))
    pieces: list[bytes] = []
    spans: list[tuple[int, int, int]] = []
    at = size = 0
    for edit in edits:
        if edit.start < at:
            continue
        if edit.start > at:
            spans.append((size, at, edit.start - at))
            pieces.append(content[at : edit.start])
            size += edit.start - at
        pieces.append(edit.text)
        size += len(edit.text)
        at = edit.end
    spans.append((size, at, len(content) - at))
    pieces.append(content[at:])
    return Rewritten(path, content, b"".join(pieces), spans, tree)


_LITERALS = frozenset({"true", "false", "number_literal", "qualified_identifier"})


def _constant_of_template(node: Node) -> list[_Edit]:
    """`static constexpr CumSumConfig config{true, false};` of a template: as a template's argument by reference it crashes g++ 12,
    so that it becomes the name of a constant that lies outside."""
    words = {c.text for c in node.children if c.type in ("storage_class_specifier", "type_qualifier")}
    kind = node.child_by_field_name("type")
    if not {b"static", b"constexpr"} <= words or kind is None or not (kind.text or b"").endswith(b"Config"):
        return []
    declared = node.child_by_field_name("declarator")
    value = node.child_by_field_name("default_value")
    if declared is not None and declared.type == "init_declarator":
        value = declared.child_by_field_name("value")
        declared = declared.child_by_field_name("declarator")
    if declared is None or value is None or value.type != "initializer_list" or kind.text is None:
        return []
    listed = [child for child in value.named_children if child.type != "comment"]
    if not listed or any(child.type not in _LITERALS for child in listed):
        return []
    around = node.parent
    while around is not None and around.type != "template_declaration":
        around = around.parent
    if around is None:
        return []
    arguments = b", ".join(child.text or b"" for child in listed)
    lines = b"\n" * (value.text or b"").count(b"\n")
    constant = b" = ::AscendC::kw_constant<" + kind.text + b", " + arguments + b">::value" + lines
    return [
        _Edit(kind.end_byte, kind.end_byte, b" const&"),
        _Edit(declared.end_byte, value.end_byte, constant),
    ]


def _assertions(content: bytes) -> list[_Edit]:
    """The semicolons of assertions that stand without: where they are compiled to nothing, nobody misses them."""
    edits = []
    for match in _ASSERT.finditer(content):
        depth, at = 1, match.end()
        while at < len(content) and depth:
            depth += {0x28: 1, 0x29: -1}.get(content[at], 0)
            at += 1
        if depth or content[content.rfind(b"\n", 0, match.start()) + 1 :].lstrip().startswith(b"#"):
            continue
        before, behind = content[: match.start()].rstrip(), content[at : at + 200].lstrip()
        if before[-1:].isalnum() and not before.endswith((b"else", b"do")):
            edits.append(_Edit(match.start(), match.start(), b";"))
        if behind[:1].isalnum() or behind[:1] in (b"_", b"}"):
            edits.append(_Edit(at, at, b";"))
    return edits


def _is_launch_macro(node: Node) -> bool:
    """`ACLRT_LAUNCH_KERNEL(kernel)(blocks, stream, ...)`: a call of what a call returns."""
    inner = node.child_by_field_name("function")
    if inner is None or inner.type != "call_expression":
        return False
    name = inner.child_by_field_name("function")
    return name is not None and name.text == b"ACLRT_LAUNCH_KERNEL"


def _launch(node: Node, content: bytes, kinds: Mapping[str, str]) -> list[_Edit]:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return []
    syntax = next((c for c in node.children if c.type == "kernel_call_syntax"), None)
    given = [child for child in arguments.named_children if child.type != "comment"]
    launch = b"KW_LAUNCH("
    if syntax is not None:
        name = content[function.start_byte : function.end_byte]
        values = [child for child in syntax.named_children if child.type != "comment"]
        if not values:
            return []
        blocks = content[values[0].start_byte : values[0].end_byte]
        stream = content[values[2].start_byte : values[2].end_byte] if len(values) > 2 else b""
        begin = arguments.start_byte
        opening = b"("
    else:
        inner = function.child_by_field_name("arguments")
        if inner is None or len(given) < 2 or len(inner.named_children) != 1:
            return []
        name = content[inner.named_children[0].start_byte : inner.named_children[0].end_byte]
        blocks = content[given[0].start_byte : given[0].end_byte]
        stream = content[given[1].start_byte : given[1].end_byte]
        # The number of cores and the stream come first among the arguments.
        begin = given[2].start_byte - 1 if len(given) > 2 else arguments.end_byte - 2
        opening = b"("
        launch = b"KW_LAUNCH_PASSED("
    # A newline inside of what is replaced moves after it, so that lines stay.
    lines = b"\n" * content[function.start_byte : begin + 1].count(b"\n")
    blocks = _on_stream(blocks, stream)
    plain = name.split(b"<", 1)[0].rsplit(b"::", 1)[-1].strip()
    head = (
        launch
        + blocks
        + b', "'
        + plain
        + b'", "'
        + kinds[plain.decode()].encode()
        + b'", '
        + name
        + b")"
        + lines
        + opening
    )
    return [_Edit(node.start_byte, begin + 1, head)]


def _on_stream(blocks: bytes, stream: bytes) -> bytes:
    if stream.strip() in (b"", b"nullptr", b"NULL", b"0"):
        return blocks
    return b"(kw_acl_on_stream((void*)(" + stream + b")), " + blocks + b")"


def _launches_of_macro(node: Node, content: bytes, kinds: Mapping[str, str]) -> list[_Edit]:
    """Launches in the body of a macro, of which the parser knows the text alone; the kernel's name may be pasted together there."""
    edits = []
    for match in _LAUNCH_IN_TEXT.finditer(content, node.start_byte, node.end_byte):
        found = arguments_from(match["values"] + b")", 0)
        if found is None or len(found[0]) < 2:
            continue
        values = found[0]
        name = match["name"].strip()
        head = b"KW_LAUNCH(" + _on_stream(values[0], values[2] if len(values) > 2 else b"")
        head += b", KW_NAME(" + name + b'), "' + kinds[name.decode()].encode() + b'", ' + name + b")"
        between = content[match.start() : match.end()].count(b"\n")
        edits.append(_Edit(match.start(), match.end(), head + b"\\\n" * between + b"("))
    return edits
