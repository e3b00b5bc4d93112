"""Edits that fix mechanical findings of an Ascend C document: a length that must be rounded up, a step of a queue that is
missing, working memory that is too small. They come from the syntax tree and the finding's place; where the tree does not show what
is meant there is no fix."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.interfaces.editor_support import ByteEdit, Fix
from kernelwright_backends.syntax.lines import Lines
from kernelwright_backends.syntax.tree import SyntaxTree

_NEEDED = re.compile(r"(?:needs|at least)\s+(?:at least\s+)?(\d+)|(\d+)(?: bytes)? (?:are|is) needed")
_COPIES = ("DataCopy", "DataCopyPad", "Fixpipe")


def fixes_for(item: Finding, syntax: SyntaxTree) -> tuple[Fix, ...]:
    """What would fix a finding that stands at its place in this text."""
    make = _FIXES.get(item.code)
    if make is None:
        return ()
    offset = _byte_of(syntax, item.line, item.column)
    call = _call_on(syntax.tree.root_node, offset, item.line - 1, _MEANT.get(item.code, ()))
    return tuple(make(item, syntax, call)) if call is not None else ()


# ---- lengths


def _unaligned_copy(_: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    arguments = _arguments(call)
    if _function_name(call) != "DataCopy" or len(arguments) != 3 or arguments[2].type == "initializer_list":
        return
    out, inward, length = arguments
    kind = _element_type(out) or _element_type(inward)
    if kind is None:
        return
    space = "AscendC::" if _text(call).startswith("AscendC::") else ""
    size = f"static_cast<uint32_t>(({_source(syntax, length)}) * sizeof({kind}))"
    shape = f"{space}DataCopyExtParams{{1, {size}, 0, 0, 0}}"
    fill = (
        ""
        if _tensor_class(out) == "GlobalTensor"
        else f", {space}DataCopyPadExtParams<{kind}>{{false, 0, 0, 0}}"
    )
    name = f"{space}DataCopyPad"
    text = f"{name}({_source(syntax, out)}, {_source(syntax, inward)}, {shape}{fill})"
    yield Fix(
        "Copy the exact number of bytes with DataCopyPad",
        (ByteEdit(call.start_byte, call.end_byte, text),),
        True,
    )
    yield _rounded(syntax, length, kind, 32)


def _compare_length(_: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    arguments = _arguments(call)
    if len(arguments) != 5:
        return
    kind = _element_type(arguments[1])
    if kind is not None:
        yield _rounded(syntax, arguments[4], kind, 256)


def _rounded(syntax: SyntaxTree, length: Node, kind: str, unit: int) -> Fix:
    step = f"({unit} / sizeof({kind}))"
    text = f"({_source(syntax, length)} + {step} - 1) / {step} * {step}"
    edit = ByteEdit(length.start_byte, length.end_byte, text)
    return Fix(f"Round the length up to {unit} bytes (the buffers must have that room)", (edit,))


# ---- queues


def _missing_free(_: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    """The tensor that was taken out (or taken, and never put in) is given back at the end of its block."""
    queue = _receiver(call)
    if queue is None:
        return
    for opening in ("DeQue", "AllocTensor"):
        for taken in _calls(syntax.tree.root_node, opening, queue):
            name, block = _assigned_to(taken), _block_of(taken)
            if name is None or block is None:
                continue
            done = ("FreeTensor",) if opening == "DeQue" else ("FreeTensor", "EnQue")
            last = _last_statement(block)
            if last is not None and not _used_by(block, queue, done, name, taken.end_byte):
                yield _adding(syntax, last, f"{queue}.FreeTensor({name})")
                return


def _missing_enque(_: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    """The tensor that was filled is put into the queue: before it is taken out again, or at the end of its block."""
    queue = _receiver(call)
    if queue is None:
        return
    for taken in _calls(syntax.tree.root_node, "AllocTensor", queue):
        name, block = _assigned_to(taken), _block_of(taken)
        if name is None or block is None or _used_by(block, queue, ("EnQue",), name, taken.end_byte):
            continue
        statements = [
            s for s in block.named_children if s.start_byte >= taken.start_byte and s.type != "comment"
        ]
        out = next((n for n, s in enumerate(statements) if n and _calls(s, "DeQue", queue)), None)
        if out is None and _used_by(block, queue, ("FreeTensor",), name, taken.end_byte):
            continue
        own = _statement_of(taken)
        last = statements[out - 1] if out is not None else _last_statement(block)
        if own is not None and last is not None:
            yield _adding(syntax, last, f"{queue}.EnQue({name})")
            return


def _queue_state(item: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    """A tensor that is freed while it is in the queue: take it out where it was put in."""
    queue, arguments = _receiver(call), _arguments(call)
    if (
        queue is None
        or _function_name(call) != "FreeTensor"
        or len(arguments) != 1
        or "DeQue" not in item.message
    ):
        return
    tensor = _text(arguments[0])
    kind = _element_type(arguments[0])
    block = _block_of(call)
    if block is None or kind is None or _calls(block, "DeQue", queue):
        return
    for statement in block.named_children:
        queued = _calls(statement, "EnQue", queue)
        if queued and _text(_arguments(queued[0])[0]) == tensor and statement.end_byte < call.start_byte:
            text = _line_after(syntax, statement, f"{tensor} = {queue}.DeQue<{kind}>();")
            yield Fix(
                f"Take {tensor} out of {queue} (DeQue)",
                (ByteEdit(statement.end_byte, statement.end_byte, text),),
                True,
            )
            return


def _used_by(block: Node, queue: str, steps: tuple[str, ...], name: str, after: int) -> bool:
    """One of these steps of the queue takes the tensor in the block, behind a byte."""
    return any(
        c.start_byte > after and _arguments(c) and _text(_arguments(c)[0]) == name
        for step in steps
        for c in _calls(block, step, queue)
    )


def _adding(syntax: SyntaxTree, behind: Node, step: str) -> Fix:
    text = _line_after(syntax, behind, f"{step};")
    return Fix(f"Add {step}", (ByteEdit(behind.end_byte, behind.end_byte, text),), True)


# ---- working memory, atomics


def _raise_buffer(item: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    needed = item.data.get("needed_bytes")
    if not isinstance(needed, int):
        match = _NEEDED.search(item.message)
        if match is None:
            return
        needed = int(match[1] or match[2])
    needed = -(-needed // 32) * 32
    for argument in _arguments(call):
        variable = re.match(r"\w+", _text(argument))
        buffer = _source_buffer(argument, variable[0]) if variable else None
        if buffer is None:
            continue
        for initial in _calls(syntax.tree.root_node, "InitBuffer", None):
            arguments = _arguments(initial)
            if len(arguments) == 2 and _text(arguments[0]) == buffer:
                size = arguments[1]
                edit = ByteEdit(size.start_byte, size.end_byte, str(needed))
                yield Fix(f"Give {buffer} {needed} bytes", (edit,), True)
                return


def _end_atomic(_: Finding, syntax: SyntaxTree, call: Node) -> Iterator[Fix]:
    block, statement = _block_of(call), _statement_of(call)
    if block is None or statement is None or not _function_name(call).startswith("SetAtomic"):
        return
    after = [s for s in block.named_children if s.start_byte > statement.start_byte]
    copies = [s for s in after if any(_calls(s, name, None) for name in _COPIES)]
    at = copies[-1] if copies else statement
    space = "AscendC::" if _text(call).startswith("AscendC::") else ""
    text = _line_after(syntax, at, f"{space}SetAtomicNone();")
    yield Fix("Add SetAtomicNone", (ByteEdit(at.end_byte, at.end_byte, text),), True)


_FIXES = {
    "DATACOPY_ALIGN": _unaligned_copy,
    "COMPARE_256B": _compare_length,
    "QUE_LEAK": _missing_free,
    "QUE_EMPTY_DEQUE": _missing_enque,
    "QUE_STATE": _queue_state,
    "TMP_TOO_SMALL": _raise_buffer,
    "ATOMIC_LEFT_ON": _end_atomic,
}
# The calls that a finding stands at, where only its line is known.
_MEANT: dict[str, tuple[str, ...]] = {
    "DATACOPY_ALIGN": ("DataCopy",),
    "COMPARE_256B": ("Compare", "CompareScalar", "Compares"),
    "QUE_LEAK": ("AllocTensor", "DeQue"),
    "QUE_EMPTY_DEQUE": ("DeQue",),
    "QUE_STATE": ("FreeTensor",),
    "ATOMIC_LEFT_ON": ("SetAtomicAdd", "SetAtomicMax", "SetAtomicMin"),
}


# ---- the tree


def _byte_of(syntax: SyntaxTree, line: int, column: int) -> int:
    return Lines(syntax.original).byte(line, column)


def _call_on(root: Node, offset: int, row: int, meant: tuple[str, ...]) -> Node | None:
    """The innermost call at a byte, else the first on its line, before others one of the names that are meant."""
    node = root.descendant_for_byte_range(offset, offset + 1)
    while node is not None:
        if node.type == "call_expression":
            return node
        node = node.parent
    calls = [call for call in _calls(root, None, None) if call.start_point[0] == row]
    return next((call for call in calls if _function_name(call) in meant), calls[0] if calls else None)


def _calls(root: Node, name: str | None, receiver: str | None) -> list[Node]:
    """The calls under a node, in order: of that name, and of a member of that receiver."""
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if (
            node.type == "call_expression"
            and (name is None or _function_name(node) == name)
            and (receiver is None or _receiver(node) == receiver)
        ):
            found.append(node)
        waiting += reversed(node.named_children)
    return found


def _function_name(call: Node) -> str:
    function = call.child_by_field_name("function")
    text = _text(function) if function is not None else ""
    return re.split(r"::|\.|->", re.sub(r"<.*", "", text, flags=re.DOTALL))[-1].strip()


def _receiver(call: Node) -> str | None:
    function = call.child_by_field_name("function")
    while function is not None and function.type != "field_expression":
        function = function.child_by_field_name("name")
    argument = function.child_by_field_name("argument") if function is not None else None
    return _text(argument) if argument is not None else None


def _arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    return [c for c in listed.named_children if c.type != "comment"] if listed is not None else []


def _statement_of(node: Node) -> Node | None:
    current: Node | None = node
    while current is not None and (current.parent is None or current.parent.type != "compound_statement"):
        current = current.parent
    return current


def _block_of(node: Node) -> Node | None:
    statement = _statement_of(node)
    return statement.parent if statement is not None else None


def _last_statement(block: Node) -> Node | None:
    statements = [s for s in block.named_children if s.type != "comment"]
    if statements and statements[-1].type == "return_statement":
        statements.pop()
    return statements[-1] if statements else None


def _assigned_to(call: Node) -> str | None:
    """The variable that a call's value becomes."""
    parent = call.parent
    if parent is not None and parent.type == "init_declarator":
        declared = parent.child_by_field_name("declarator")
        return _text(declared) if declared is not None else None
    if parent is not None and parent.type == "assignment_expression":
        left = parent.child_by_field_name("left")
        return _text(left) if left is not None else None
    return None


def _declarations_of(use: Node, name: str) -> Iterator[Node]:
    """Declarations of a variable: those of its block and of the blocks around it, then all of the file."""
    node: Node | None = use
    while node is not None:
        if node.type in ("compound_statement", "field_declaration_list"):
            yield from (c for c in node.named_children if _declares(c, name))
        node = node.parent
    root = use
    while root.parent is not None:
        root = root.parent
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in ("field_declaration", "declaration") and _declares(node, name):
            yield node
        waiting += [c for c in reversed(node.named_children) if c.type != "compound_statement"]


def _declares(node: Node, name: str) -> bool:
    if node.type not in ("declaration", "field_declaration"):
        return False
    for declarator in node.children_by_field_name("declarator"):
        inner = (
            declarator.child_by_field_name("declarator")
            if declarator.type == "init_declarator"
            else declarator
        )
        if inner is not None and re.sub(r"\W.*", "", _text(inner)) == name:
            return True
    return False


def _tensor_type(use: Node) -> str | None:
    """`LocalTensor<half>` of a tensor expression, as written where it is declared or made."""
    match = re.match(r"\w+", _text(use))
    if match is None:
        return None
    for declaration in _declarations_of(use, match[0]):
        written = declaration.child_by_field_name("type")
        text = _text(written) if written is not None else ""
        if "Tensor<" in text:
            return text
        made = re.search(r"(?:AllocTensor|DeQue|Get|GetWithOffset)\s*<([^<>]+)>", _text(declaration))
        if made is not None:
            return f"LocalTensor<{made[1]}>"
    return None


def _element_type(use: Node) -> str | None:
    written = _tensor_type(use)
    match = re.search(r"Tensor<(.+)>", written) if written is not None else None
    return match[1].strip() if match is not None else None


def _tensor_class(use: Node) -> str | None:
    written = _tensor_type(use)
    match = re.search(r"(\w+Tensor)<", written) if written is not None else None
    return match[1] if match is not None else None


def _source_buffer(use: Node, name: str) -> str | None:
    """The TBuf that a tensor is the memory of."""
    for declaration in _declarations_of(use, name):
        match = re.search(r"([\w.>-]+?)(?:\.|->)Get(?:WithOffset)?\s*<", _text(declaration))
        if match is not None:
            return match[1]
    return None


def _line_after(syntax: SyntaxTree, statement: Node, text: str) -> str:
    """`text` on a line of its own after a statement, indented as that one."""
    start = syntax.original.rfind(b"\n", 0, statement.start_byte) + 1
    before = syntax.original[start : statement.start_byte]
    indent = re.match(rb"[ \t]*", before)
    return "\n" + (indent[0].decode() if indent else "") + text


def _source(syntax: SyntaxTree, node: Node) -> str:
    """What the user wrote; the tree itself was made with some qualifiers blanked."""
    return syntax.original[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
