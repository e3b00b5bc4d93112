"""What NVIDIA's own compiler says of a text that the CPU target executes: no GPU is needed for it.

The compiler of a toolkit that is there, or of the extra `kernelwright[nvcc]`.
"""

import asyncio
import hashlib
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from kernelwright_backends.cuda.cpu.compiler import touch
from kernelwright_backends.cuda.gpu import toolkit as tools
from kernelwright_backends.cuda.gpu.diagnostics import Texts, demangler, nvcc_findings, resources_of
from kernelwright_backends.finding import Finding, Severity, finding
from kernelwright_backends.folders import cache_folder
from kernelwright_backends.kernel import SourceIndex
from kernelwright_backends.model import Model
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import CompileOptions, Confinement, ConfinementError, Limits

_LIMITS = Limits(time_s=60.0, memory_mb=6144, processes=128, output_bytes=4 << 20)


class Opinion(Model):
    """Of one text for one architecture."""

    version: str
    architecture: str
    findings: tuple[Finding, ...] = ()
    kernels: dict[str, dict[str, int]] = {}
    """by kernel: `registers` of a thread, bytes of `shared`, `stack` and spills, as ptxas tells them"""
    elapsed_s: float = 0.0


async def opinion(
    content: bytes,
    path: Path,
    index: SourceIndex,
    target: Target,
    options: CompileOptions,
    confinement: Confinement,
) -> Opinion | None:
    """Compile for the target's architecture and keep what the compiler said; None where there is no nvcc.

    An error of nvcc's is a warning here: the CPU target has executed the text, the real compiler would not take it.
    """
    try:
        toolkit = await asyncio.to_thread(tools.find_toolkit)
    except tools.ToolkitMissing:
        return None
    architecture = target.architecture
    flags = (
        f"-arch={architecture}", f"-std={options.std or 'c++17'}", "-cubin", "-Xptxas", "-v", "-isystem", str(tools.INCLUDE),
        "-isystem", str(tools.SHIM), "-isystem", str(tools.SHIM / "samples"), *(f"-D{define}" for define in options.define), *options.flags,
    )  # fmt: skip
    folders = tuple(dict.fromkeys((path.parent, *(folder.resolve() for folder in options.include))))
    digest = hashlib.sha256("\0".join((toolkit.version, tools.source_hash(), *flags, str(path))).encode())
    digest.update(content)
    kept = cache_folder("cuda-nvcc") / f"{digest.hexdigest()[:32]}.json"
    with suppress(OSError, ValueError):
        said = Opinion.model_validate_json(kept.read_text(encoding="utf-8"))
        touch(kept)
        return said
    work = kept.with_name(f".{kept.stem}.{secrets.token_hex(4)}")
    work.mkdir(parents=True)
    try:
        unit = work / "candidate.cu"
        spelled = str(path).replace("\\", "\\\\").replace('"', '\\"')
        unit.write_bytes(f'#line 1 "{spelled}"\n'.encode() + content)
        started = time.perf_counter()
        completed = await confinement.run(
            [str(toolkit.nvcc), *flags, *(f"-I{folder}" for folder in folders), str(unit), "-o", str(work / "made")],
            readable=[toolkit.root, tools.INCLUDE, tools.SHIM, *folders],
            writable=[work],
            cwd=work,
            environment={**toolkit.environment, "TMPDIR": str(work)},
            limits=_LIMITS,
        )  # fmt: skip
        if completed.ended_by != "exit":
            return None
        output = (completed.stdout + completed.stderr).decode("utf-8", "replace")
        demangled: Callable[[str], str] = await asyncio.to_thread(demangler, output)
        texts = Texts(path, content, index, roots=folders)
        found = [_of_nvcc(f, toolkit.version, architecture) for f in nvcc_findings(output, texts, demangled)]
        made = Opinion(
            version=toolkit.version,
            architecture=architecture,
            findings=tuple(found),
            kernels={name: dict(counts) for name, counts in resources_of(output, demangled).items()},
            elapsed_s=time.perf_counter() - started,
        )
        temporary = work / "opinion.json"
        temporary.write_text(made.model_dump_json(), encoding="utf-8")
        temporary.replace(kept)
        return made
    except (ConfinementError, OSError):
        return None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _of_nvcc(said: Finding, version: str, architecture: str) -> Finding:
    refused = said.severity is Severity.ERROR
    verb = "refuses this" if refused else "warns"
    return finding(
        "COMPILE_NVCC",
        f"nvcc {version} {verb} for {architecture}: {said.message}",
        said.path,
        said.range,
        severity=Severity.WARNING if refused else Severity.INFORMATION,
        data={**said.data, "nvcc": version, "architecture": architecture, "refused": refused},
    )
