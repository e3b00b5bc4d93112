"""Assembly beside its source: made when it is asked for, shown as a read-only document, its lines matched."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import DEFAULT_TARGETS
from kernelwright_backends.interfaces.assembly import ListingError, ListingForm
from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_server.features.listed_kernels import AssemblyError, architecture_of, kernels_of, shown
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.session.state import Session


def _around(kernel: KernelDocument, position: Any) -> str | None:
    """The kernel around the cursor, or the host function that launches some; None elsewhere, which means all."""
    try:
        place = types.Position(line=int(position["line"]), character=int(position["character"]))
    except (KeyError, TypeError, ValueError):
        return None
    function = kernel.function_at(*kernel.document.content.place(place))
    if function is None:
        return None
    launches = any(reached.kind == "kernel" for reached in kernel.index.reached_from(function.qualified_name))
    return function.qualified_name if launches else None


async def assembly(session: Session, kernel: KernelDocument, argument: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the command: compile the buffer as it is, keep the document, say where it is and which lines match.

    Raises:
        AssemblyError: see its message.
    """
    entry, form = argument.get("entry"), argument.get("form", "ptx")
    if form not in ("ptx", "sass"):
        raise AssemblyError(f"'{form}' is not a form of assembly; use ptx or sass")
    assembler = support_of(kernel.dialect).assembler
    if assembler is None:
        raise AssemblyError("assembly is available only for CUDA kernels")
    if not session.trust.covers(kernel.document):
        raise AssemblyError("nothing is compiled because the workspace is not trusted")
    wanted = argument.get("architecture")
    default = next((plan.target for plan in kernel.plans()), DEFAULT_TARGETS[kernel.dialect]).architecture
    architecture = architecture_of(wanted, kernel.dialect) if isinstance(wanted, str) else default
    candidate, index, version = kernel.candidate, kernel.index, kernel.document.version
    entry = entry or _around(kernel, argument.get("position"))
    functions = kernels_of(index, entry)
    chosen: ListingForm = "sass" if form == "sass" else "ptx"
    try:
        made = await session.verifiers.of(kernel).listing(candidate, index, architecture, chosen)
    except (ListingError, ConfinementError) as error:
        raise AssemblyError(str(error)) from None
    document = await asyncio.to_thread(shown, assembler, made, functions, entry, candidate)
    # Brackets are not allowed in a file's name everywhere, and an address ends with one.
    plain = re.sub(r"[^\w.-]+", "_", entry or kernel.path.stem).strip("_")
    address, moved = session.assemblies.put(kernel.uri, f"{plain}.{architecture}.{chosen}", document.text)
    if moved:
        session.client.refresh_content(address)
    if argument.get("show", True):
        await session.client.show_document(address)
    return {
        "uri": address,
        "source": kernel.uri,
        "version": version,
        "entry": entry,
        "architecture": architecture,
        "architectures": sorted(
            {architecture, default, *assembler.ARCHITECTURES}, key=lambda name: (len(name), name)
        ),
        "form": chosen,
        "lines": [[first, last, list(lines)] for first, last, lines in document.spans],
    }
