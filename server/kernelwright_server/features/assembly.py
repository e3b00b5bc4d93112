"""Assembly beside its source: made when it is asked for, shown as a read-only document, its lines matched."""

import asyncio
import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lsprotocol import types

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import DEFAULT_TARGETS, Dialect, Target, TargetError
from kernelwright_backends.interfaces.assembly import (
    Assembler,
    Listing,
    ListingDocument,
    ListingError,
    ListingForm,
)
from kernelwright_backends.interfaces.toolchain import ConfinementError
from kernelwright_server.lsp.protocol import ASSEMBLY_SCHEME
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_verifier.task.task import Candidate

if TYPE_CHECKING:
    from kernelwright_server.session.state import Session

_KEPT = 16


class AssemblyError(Exception):
    """There is nothing to show; the message says why, and what to do about it."""


class AssemblyDocuments:
    """What was asked for last. The same question has the same address, so that an editor's tab shows the newest answer."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()

    def put(self, uri: str, name: str, text: str) -> tuple[str, bool]:
        """Keep a text; its address, and whether another text stood there."""
        digest = hashlib.sha256(uri.encode()).hexdigest()[:12]
        address = f"{ASSEMBLY_SCHEME}:/{digest}/{quote(name)}"
        before = self._texts.pop(address, None)
        self._texts[address] = text
        while len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        return address, before not in (None, text)

    def find(self, address: str) -> str | None:
        return self._texts.get(address)


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


async def assembly(session: "Session", kernel: KernelDocument, argument: Mapping[str, Any]) -> dict[str, Any]:
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
    if not session.trusted(kernel.document):
        raise AssemblyError("nothing is compiled because the workspace is not trusted")
    wanted = argument.get("architecture")
    default = next((plan.target for plan in kernel.plans()), DEFAULT_TARGETS[kernel.dialect]).architecture
    architecture = architecture_of(wanted, kernel.dialect) if isinstance(wanted, str) else default
    candidate, index, version = kernel.candidate, kernel.index, kernel.document.version
    entry = entry or _around(kernel, argument.get("position"))
    functions = kernels_of(index, entry)
    chosen: ListingForm = "sass" if form == "sass" else "ptx"
    try:
        made = await session.verifier(kernel).listing(candidate, index, architecture, chosen)
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
