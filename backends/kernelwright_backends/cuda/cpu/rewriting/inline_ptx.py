"""Inline PTX: a lambda that does what it says, called with the operands where they stand."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from kernelwright_backends.cuda.cpu import ptx
from kernelwright_backends.cuda.cpu.analysis.declarations import enclosing_function
from kernelwright_backends.cuda.cpu.analysis.inline_assembly import on_device
from kernelwright_backends.cuda.cpu.frontend.parsing import ASM, with_constraints
from kernelwright_backends.cuda.cpu.rewriting.fragment import Fragment, in_a_function
from kernelwright_backends.cuda.cpu.rewriting.lost import NO_CODE, statement_end, types_around
from kernelwright_backends.host.edits import Edit, Piece
from kernelwright_backends.syntax.text import head_start, walk

# How the compiler's message tells what we refuse.
UNSUPPORTED_MARK = "kernelwright-unsupported: "
_NO_LOST_ASSEMBLY = NO_CODE | {"gnu_asm_expression"}
_OPERANDS = ("gnu_asm_output_operand_list", "gnu_asm_input_operand_list")
_OPERAND = ("gnu_asm_output_operand", "gnu_asm_input_operand")
# Words of a function's head that settle whether the compiler makes code of it where it is never called.
_EMITTED_OR_NOT = re.compile(
    rb"(?<!\w)(?:static|inline|__inline__|__inline|constexpr|consteval|__global__|__host__)(?!\w)"
)


def assembly(node: Node, fragment: Fragment, *, lost: bool = False) -> Iterator[Edit]:
    """A statement of assembly.

    `lost`: nobody knows on whose side it stands; it is left alone unless it reads as PTX. So is what stands in host code, or in
    a function whose head the grammar did not understand.
    """
    lost |= fragment.is_document and not on_device(node)
    if lost and node.child_by_field_name("assembly_code") is None:
        return
    operands, values = _operands(node)
    pasted: list[Node] = []
    try:
        translated = _translated(node, fragment, operands, pasted)
    except ptx.PtxError as error:
        if not lost or ptx.reads_as_ptx((node.text or b"").decode("utf-8", "replace")):
            yield from _refused(node, fragment, str(error))
        return
    parameters = [
        f"{'auto&' if operand.written else 'auto'} kw_given_{n}" for n, operand in enumerate(operands)
    ]
    capture = "&" if translated.outer else ""
    head = f"[{capture}]({', '.join(parameters)}) {{ {translated.body} }}("
    pieces: list[Piece] = [translated.declarations + head]
    at = node.start_byte
    newline = "\n" if fragment.is_document else "\\\n"
    for n, value in enumerate(values):
        pieces.append(newline * fragment.text.count(b"\n", at, value.start_byte) + ("," if n else ""))
        pieces.append(fragment.copy_of(value))
        at = value.end_byte
    for word in pasted:  # without its sign a macro's parameter is a number again
        pieces += ["," if len(pieces) > 1 else "", fragment.copy(word.start_byte + 1, word.end_byte)]
    pieces.append(newline * fragment.text.count(b"\n", at, node.end_byte) + ")")
    yield fragment.in_place_of(node, *pieces)


def lost_assembly(document: Fragment) -> Iterator[Edit]:
    """Inline PTX in what the grammar takes for something else."""
    text = document.text
    if b"asm" not in text:
        return
    for match in ASM.finditer(text):
        if types_around(document.root, match.start()) & _NO_LOST_ASSEMBLY:
            continue
        statement = text[match.start() : statement_end(text, match.end())]
        found = in_a_function(
            document.file, statement, match.start(), lambda wrapped: with_constraints(wrapped, text)
        )
        for node in walk(found.root):
            if node.type == "gnu_asm_expression":
                yield from assembly(node, found, lost=True)


def _operands(node: Node) -> tuple[list[ptx.Operand], list[Node]]:
    """What a statement is given, and the expressions that are given."""
    operands, values = [], []
    for listed in node.named_children:
        if listed.type not in _OPERANDS:
            continue
        for operand in listed.named_children:
            parts = [child for child in operand.named_children if child.type != "comment"]
            if operand.type not in _OPERAND or len(parts) < 2:
                continue
            named = parts[0].type == "identifier" and len(parts) > 2
            name = (parts[0].text or b"").decode() if named else ""
            constraint = parts[1] if name else parts[0]
            operands.append(ptx.Operand((constraint.text or b"").decode().strip('"'), name))
            values.append(parts[-1])
    return operands, values


def _refused(node: Node, fragment: Fragment, why: str) -> Iterator[Edit]:
    """An error where code is made of it, and nowhere else: many files choose by architecture, or hold templates that is never used."""
    words = f"{UNSUPPORTED_MARK}inline PTX: {why}".replace("\\", "/").replace('"', "'").replace("\n", " ")
    name = f"kw_unsupported_{fragment.file.unique_number()}"
    yield fragment.in_place_of(node, f'({{ void {name}() __attribute__((error("{words}"))); {name}(); }})')
    if fragment.is_document:
        yield from _droppable(enclosing_function(node), fragment)


def _droppable(function: Node | None, document: Fragment) -> Iterator[Edit]:
    """Lets the compiler make nothing of a function of the device that is never called, as nvcc makes nothing of it."""
    file = document.file
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None or not file.is_device(function) or _of_a_class(function):
        return
    start = head_start(function)
    hidden = file.hidden_between(start, body.start_byte)
    settled = hidden & {"inline", "__host__"} or _EMITTED_OR_NOT.search(document.text, start, body.start_byte)
    if not settled and function.start_byte not in file.droppable:
        file.droppable.add(function.start_byte)
        yield document.inserted(function.start_byte, "inline ")


def _of_a_class(function: Node) -> bool:
    return function.parent is not None and function.parent.type == "field_declaration_list"


def _translated(
    node: Node, fragment: Fragment, operands: list[ptx.Operand], pasted: list[Node]
) -> ptx.Translated:
    """C++ from the statement's text to its operands' new values.

    `pasted` takes the parameters of a macro that stand in the text, `"shl.b32 %0, %1, " #by ";"`: further operands.

    Raises:
        ptx.PtxError: it is not to be executed here.
    """
    code = node.child_by_field_name("assembly_code")
    template = _text_of(code, fragment, len(operands), pasted) if code is not None else ""
    operands += [ptx.Operand("n") for _ in pasted]
    function = enclosing_function(node)
    registers = None
    if function is not None:
        place = (fragment.base, function.start_byte)
        registers = fragment.file.registers.setdefault(place, ptx.Registers())
    made = ptx.translate(template, operands, registers, stays=_in_a_block(node))
    before, after = [], []
    for n, operand in enumerate(operands):
        # An input may stand for the place of an output.
        tied = re.fullmatch(r"(\d+)", operand.constraint)
        letter = operands[int(tied[1])].letter if tied and int(tied[1]) < len(operands) else operand.letter
        storage = ptx.STORAGE.get(letter)
        if storage is None:
            raise ptx.PtxError(f"the constraint '{operand.constraint}'")
        if tied:
            before.append(f"kw_{tied[1]} = kw::ptx::as<{storage}>(kw_given_{n});")
        read = not operand.written or operand.constraint.startswith("+")
        value = f"kw::ptx::as<{storage}>(kw_given_{n})" if read else f"{storage}{{}}"
        constant = "" if operand.written else "const "
        before.insert(n, f"[[maybe_unused]] {constant}{storage} kw_{n} = {value};")
        if operand.written:
            after.append(f"kw::ptx::put(kw_given_{n}, kw_{n});")
    return replace(made, body=" ".join((*before, made.body, *after)))


def _in_a_block(node: Node) -> bool:
    """Is this a statement among others, before which a declaration may stand?"""
    statement = node.parent
    block = statement.parent if statement is not None else None
    while block is not None and block.type.startswith("preproc_"):
        block = block.parent
    return (
        statement is not None
        and statement.type == "expression_statement"
        and block is not None
        and block.type == "compound_statement"
    )


def _text_of(code: Node, fragment: Fragment, operands: int, pasted: list[Node]) -> str:
    """The assembly that literals, macros and parameters of macros spell.

    Raises:
        ptx.PtxError: it is put together otherwise.
    """
    if code.type == "string_literal":
        inner = re.sub(r"\\\r?\n", "", (code.text or b"").decode("utf-8", "replace"))[1:-1]
        return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m[1], m[1]), inner)
    if code.type == "raw_string_literal":
        return "".join(
            (c.text or b"").decode() for c in code.named_children if c.type == "raw_string_content"
        )
    if code.type == "concatenated_string":
        text = ""
        for child in code.named_children:
            if text.endswith(".") and (child.text or b"").startswith(b"#"):
                text += (
                    "L1::pasted"  # what loads and stores say about a cache; of anything else it is refused
                )
            elif child.type != "comment":
                text += _text_of(child, fragment, operands, pasted)
        return text
    if (code.text or b"").startswith(b"#"):
        pasted.append(code)
        return f"%{operands + len(pasted) - 1}"
    return _text_of_macro(code, fragment)


def _text_of_macro(use: Node, fragment: Fragment) -> str:
    """What a macro of the document spells whose name stands in place of a literal."""
    for node in walk(fragment.file.document.tree.root_node):
        if (
            node.type in ("preproc_def", "preproc_function_def")
            and (given := node.child_by_field_name("name"))
            and given.text == use.text
        ):
            value = node.child_by_field_name("value")
            meant = (value.text or b"").decode("utf-8", "replace") if value else ""
            parameters = node.child_by_field_name("parameters")
            if parameters is not None:
                meant = _with_arguments(meant, parameters, fragment.file.text[use.end_byte :])
            spelled = re.findall(r'"((?:\\.|[^"\\])*)"', meant)
            if spelled:
                return "".join(spelled).replace("\\n", "\n").replace("\\t", "\t")
    raise ptx.PtxError(f"text that is put together by '{(use.text or b'').decode('utf-8', 'replace')}'")


def _with_arguments(meant: str, parameters: Node, behind: bytes) -> str:
    """What a macro with parameters stands for where it is used, before `behind`; its arguments were blanked for the grammar."""
    given = re.match(rb"\s*\(([^()]*)\)", behind)
    values = [part.strip().decode("utf-8", "replace") for part in given[1].split(b",")] if given else []
    for parameter, argument in zip(parameters.named_children, values, strict=False):
        word = re.escape((parameter.text or b"").decode("utf-8", "replace"))
        meant = re.sub(rf"#\s*{word}\b", f'"{argument}"', meant)
    return meant
