"""Waits for an asynchronous copy before its data is used."""

import re
from collections.abc import Iterator

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.barrier import BARRIER
from kernelwright_backends.cuda.fixes.source import BODIES, Source, ancestors, climb
from kernelwright_backends.cuda.fixes.threads import in_branch
from kernelwright_backends.syntax.text import walk


def wait_for_copies(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """Shared memory that is used while a copy into it is on its way: wait for all groups before the threads meet."""
    found = source.at(finding.range)
    function = climb(found, "function_definition")
    if found is None or function is None:
        return
    text = source.text(function)
    wait = (
        "__pipeline_wait_prior(0);"
        if "__pipeline_commit" in text
        else 'asm volatile("cp.async.wait_group 0;\\n" ::: "memory");'
        if "cp.async.commit_group" in text
        else None
    )
    if wait is None:
        return
    for node in walk(function):
        waits = node.type == "expression_statement" and re.match(
            r"__pipeline_wait_prior\((?!0\))|asm\b.*cp\.async\.wait_group\s+[1-9]", source.text(node)
        )
        if waits:
            yield SuggestedFix(title=f"Wait for all groups: {wait}", edits=(source.replace(node, wait),))
            return
    statement = next((n for n in ancestors(found) if n.parent is not None and n.parent.type in BODIES), None)
    if statement is None:
        return
    before = statement.prev_named_sibling
    if before is not None and source.text(before).strip() == BARRIER:
        yield SuggestedFix(title=f"Wait for the copies: {wait}", edits=(source.before(before, wait),))
    elif not in_branch(source, statement):
        yield SuggestedFix(
            title=f"Wait for the copies: {wait}",
            edits=(source.before(statement, f"{wait}\n{source.indent(statement)}{BARRIER}"),),
        )
