"""What a benchmark of coverage says of findings: a row's form, the cause that groups like with like, and its scope."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import Finding, Severity

# What the design leaves out (the last column of its feature table), by the words of the finding.
_OUTSIDE = re.compile(
    r"textures|surfaces|arrays for textures|graphics interoperation|cuBLAS|cuDNN|cuFFT|cuSPARSE|cuSOLVER|cuTENSOR|cuRAND's (?:host|tables)"
    r"|NCCL|NVSHMEM|NPP|nvJPEG|CUTLASS|CuTe|tensor maps|dynamic parallelism|inline PTX: .*(wgmma|tcgen05|cp\.async\.bulk|mbarrier|tensormap|cluster)"
)
# For Ascend C (sections 0 and 3 of its facts): register-based and SIMT kernels of the 950, communication between chips,
# kernels written with templates of catlass or pto, or with the raw intrinsics under the interface.
_OUTSIDE_ASCENDC = re.compile(
    r"MicroAPI|Reg$|Simt|simt_api/|reg_compute/|asc_|__simt|__simd|__VEC_SCOPE|GetVecLen|RegTensor|MaskReg|UnalignReg|AddrReg|"
    r"Hccl|HCCL|GetHccl|hccl/|Hcomm|hcomm/|[Cc]atlass|act/|tla|pto|VF_CALL|LAUNCH_BOUND|"
    r"copy_(?:gm|ubuf|cbuf|matrix)_|load_(?:cbuf|gm)_to|scatter_vnchwconv|mad$|v(?:add|mul|sub|div|adds|muls|conv|exp|cadd|cgadd|"
    r"cmax|ector_dup|brcb|sel|cmp)$"
)


def told(item: Finding, corpus: Path) -> dict[str, Any]:
    """One finding of a row, its path relative to the corpus."""
    path = Path(item.path)
    where = str(path.relative_to(corpus)) if path.is_relative_to(corpus) else path.name
    return {
        "code": item.code,
        "severity": str(item.severity),
        "path": where,
        "line": item.line,
        "message": item.message,
    }


def refusal(findings: list[Finding]) -> dict[str, Any]:
    """The cause, in words that group like with like, and whether it lies outside of the scope."""
    if not findings:
        return {"cause": "no finding says why"}
    first = next((f for f in findings if f.severity is Severity.ERROR), findings[0])
    apis = [str(f.data["api"]) for f in findings if f.code == "UNSUPPORTED_API" and f.data.get("api")]
    if apis:
        outside = next((api for api in apis if _OUTSIDE_ASCENDC.match(api)), None)
        return {
            "cause": f"not executed here: {outside or apis[0]}",
            "scope": "outside" if outside else "unsupported",
        }
    feature = next(
        (str(f.data["feature"]) for f in findings if f.code == "UNSUPPORTED_CUDA" and f.data.get("feature")),
        None,
    )
    if feature is not None:
        return {
            "cause": f"not executed here: {feature}",
            "scope": "outside" if _OUTSIDE.search(feature) else "unsupported",
        }
    missing = re.match(r"(\S+): No such file or directory", first.message)
    if missing:
        return {"cause": f"no such header: {missing[1]}", "scope": "foreign"}
    if first.code == "COMPILE_LINK":
        return {"cause": f"defined nowhere: {first.data.get('symbol', '')}", "scope": "foreign"}
    plain = re.sub(
        r"(?<![\w.])/(?:[^\s/:]+/)+", "", first.message
    )  # of a path, as an assembler says it, the file's name
    words = re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "N", plain)
    return {"cause": f"{first.code}: {words[:160]}"}


def compiled_of(statuses: Sequence[str], refused: list[Finding]) -> dict[str, Any]:
    """`compiled`, and why not, of the statuses of the compile gates and the findings of the gates up to there."""
    if all(status == "passed" for status in statuses):
        return {"compiled": True}
    problems = [f for f in refused if f.severity is Severity.ERROR or f.code.startswith("ENV_")]
    return {"compiled": False, **refusal(problems or refused)}
