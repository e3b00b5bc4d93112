"""Which kernels of a file an assembly listing is asked of, and the document of them."""

import re

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import Dialect, Target, TargetError
from kernelwright_backends.interfaces.assembly import Assembler, Listing, ListingDocument
from kernelwright_verifier.task.task import Candidate


class AssemblyError(Exception):
    """There is nothing to show; the message says why, and what to do about it."""


def kernels_of(index: SourceIndex, name: str | None) -> tuple[Function, ...]:
    """The kernels that a name means: a kernel itself, or those that a host function launches; all without a name.

    Raises:
        AssemblyError: the document has no such function, or that launches none.
    """
    if not index.kernels:
        raise AssemblyError("this file defines no kernel")
    if name is None:
        return tuple(index.kernels)
    function = index.find(name)
    if function is None:
        known = ", ".join(kernel.qualified_name for kernel in index.kernels)
        raise AssemblyError(f"no kernel '{name}' in this file; its kernels are {known}")
    if function.kind == "kernel":
        return (function,)
    reached = tuple(f for f in index.reached_from(name) if f.kind == "kernel")
    if not reached:
        raise AssemblyError(f"'{name}' launches no kernel of this file")
    return reached


def shown(
    assembler: Assembler,
    listing: Listing,
    functions: tuple[Function, ...],
    name: str | None,
    source: Candidate,
) -> ListingDocument:
    """The document of some kernels; of one instance where the name has template arguments.

    Raises:
        AssemblyError: the compiler made nothing of them.
    """
    made = listing.of(functions, source.path)
    if name is not None and "<" in name:
        wanted = _flat(name)
        instances = tuple(m for m in made if _flat(m.name).endswith(wanted))
        if not instances and made:
            known = ", ".join(m.name for m in made)
            raise AssemblyError(f"no instance '{name}' in this file; its instances are {known}")
        made = instances
    if not made:
        names = ", ".join(function.qualified_name for function in functions)
        reason = (
            "this file launches no instance of the template"
            if any(function.template_parameters for function in functions)
            else "the compiler omitted it because nothing uses it or an #if excludes it"
        )
        raise AssemblyError(f"nvcc generated no code for {names}: {reason}")
    return assembler.document_of(listing.with_called(made), listing, source.path, source.text)


def _flat(name: str) -> str:
    return re.sub(r"\s+", "", name)


def architecture_of(text: str, dialect: Dialect) -> str:
    """`sm_90` of `sm_90`, of a product such as `h200`, or of a target.

    Raises:
        AssemblyError: it is none.
    """
    spelled = text if ":" in text else f"{dialect}:{text}@cpu"
    name = support_of(dialect).name
    try:
        target = Target.parse(spelled)
    except TargetError:
        raise AssemblyError(
            f"'{text}' is not a {name} architecture; use sm_90, or a product such as h200"
        ) from None
    if target.dialect != dialect:
        raise AssemblyError(f"'{text}' is not a {name} architecture")
    return target.architecture
