"""What g++ says of a name that our headers do not have: an API that is not executed, or a mistake of the text."""

import re

from kernelwright_backends.cuda.cpu import diagnostics
from kernelwright_backends.cuda.cpu.diagnostics import Places
from kernelwright_backends.finding import Finding, Severity

# Interfaces of Ascend C that exist and that the CPU target does not execute.
KNOWN = frozenset(
    """
    AntiQuantMs AscendAntiQuant AscendDequant AscendQuant BilinearInterpolation BitwiseAnd Conv2D Conv3D CheckLocalMemoryIA
    Dropout DropOut GroupNorm Hccl HcclHandle HCCL GetHcclContext InstanceNorm LoadDataUnzip LoadDataWithSparse
    LoadImageToLocal MetricsProfStart MetricsProfStop MmadWithSparse ProposalConcat ProposalExtract RpSort16 MrgSort4
    ScatterND SelectWithBytesMask SetAippFunctions SetFixPipeClipRelu SetFixPipeAddr SetLoadDataBoundary SetLoadDataPaddingValue
    SetLoadDataRepeat VectorPadding Conv3DBackpropFilter Conv3DBackpropInput TopK UnPad WelfordUpdate
    WelfordFinalize WelfordRearrange NormalizeWithRstd LayerNormGrad LayerNormGradBeta DeepNorm BatchNorm Normalize
    SoftmaxGrad SoftmaxGradFront SoftmaxFlashV3 AdjustSoftMaxRes Quantize Dequantize GmmDequant
    asc_vf_call Reg MicroAPI Simt LocalMemBar CastDeq AddReluCast SubReluCast AddDeqRelu MulCast BlockReduceProd
    """.split()
)
_NOT_A_MEMBER = re.compile(r"'(\w+)' is not a member of '(?:AscendC|matmul)(?:::[^']*)?'")
_UNDECLARED = re.compile(
    r"'(\w+)' (?:was not declared|has not been declared|does not name a type)|no template named '(\w+)'"
)
_SUGGESTED = re.compile(r"did you mean|suggested alternative")
_MISSING_HEADER = re.compile(r"^(\S+\.h(?:pp)?): No such file or directory")


def compiler_findings(stderr: str, places: Places) -> list[Finding]:
    """Like CUDA's, with UNSUPPORTED_API for what exists and is not executed here."""
    return [_named(found) for found in diagnostics.compiler_findings(stderr, places)]


def _named(found: Finding) -> Finding:
    if found.code != "COMPILE_ERROR":
        return found
    api: str | None = None
    member = _NOT_A_MEMBER.search(found.message)
    undeclared = _UNDECLARED.search(found.message)
    header = _MISSING_HEADER.search(found.message)
    if member and not _SUGGESTED.search(found.message):
        api = member[1]
    elif undeclared and (undeclared[1] or undeclared[2]) in KNOWN:
        api = undeclared[1] or undeclared[2]
    elif member and member[1] in KNOWN:
        api = member[1]
    elif header and header[1].startswith(
        ("lib/", "adv_api/", "kernel_", "hccl/", "simt_api/", "reg_compute/")
    ):
        api = header[1]
    if api is None:
        return found
    message = f"{api}: the CPU target does not execute this"
    return found.model_copy(
        update={
            "code": "UNSUPPORTED_API",
            "severity": Severity.ERROR,
            "message": message,
            "data": {"api": api},
        }
    )
