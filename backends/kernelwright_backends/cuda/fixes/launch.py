"""Allows shared memory for a launch, and checks its error."""

from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.source import BODIES, Source, climb
from kernelwright_backends.syntax.text import walk


def check_launch(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """Before a launch: allow the shared memory that it asks for. After it: ask whether it was taken."""
    call = source.at(finding.range)
    statement = climb(call, "expression_statement")
    function = climb(call, "function_definition")
    if statement is None or function is None or "<<<" not in source.text(statement):
        return
    if "cudaFuncAttributeMaxDynamicSharedMemorySize" in finding.message:
        yield from _shared_attribute(source, statement)
        return
    # The body of an `if` or a loop without braces has no space for a second statement.
    while statement.parent is not None and statement.parent.type not in (*BODIES, "translation_unit"):
        statement = statement.parent
    following = statement.next_named_sibling
    if following is not None and "cudaGetLastError" in source.text(following):
        return
    if b"torch/extension.h" in source.bytes or b"TORCH_CHECK" in source.bytes:
        check = 'TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch was refused");'
        yield SuggestedFix(title="Check the launch with TORCH_CHECK", edits=(source.after(statement, check),))
        return
    check = (
        "if (cudaError_t error = cudaGetLastError(); error != cudaSuccess) "
        'printf("the launch was refused: %s\\n", cudaGetErrorString(error));'
    )
    yield SuggestedFix(
        title="Check the launch with cudaGetLastError()", edits=(source.after(statement, check),)
    )


def _shared_attribute(source: Source, statement: Node) -> Iterator[SuggestedFix]:
    """More than 48 KiB of dynamic shared memory are allowed by the kernel's attribute."""
    launch = next((n for n in walk(statement) if n.type == "kernel_call_syntax"), None)
    kernel = launch.parent.child_by_field_name("function") if launch is not None and launch.parent else None
    if launch is None or kernel is None or len(launch.named_children) < 3:
        return
    if statement.parent is None or statement.parent.type not in BODIES:
        return
    allow = (
        f"cudaFuncSetAttribute({source.text(kernel)}, cudaFuncAttributeMaxDynamicSharedMemorySize, "
        f"{source.text(launch.named_children[2])});"
    )
    yield SuggestedFix(
        title="Allow this much dynamic shared memory", edits=(source.before(statement, allow),)
    )
