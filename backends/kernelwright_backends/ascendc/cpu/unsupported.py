"""What g++ says of a name that our headers do not have: an API that is not executed, or a mistake of the text."""

import re

from kernelwright_backends.ascendc.cpu import prebuilt as tools
from kernelwright_backends.ascendc.cpu.consequential_errors import without_consequences
from kernelwright_backends.core.finding import Finding, Severity
from kernelwright_backends.host import gxx_diagnostics as gxx
from kernelwright_backends.host.gxx_diagnostics import Meaning
from kernelwright_backends.host.places import Places
from kernelwright_backends.host.torch_names import misses_torch

# Interfaces of Ascend C that exist and that the CPU target does not execute.
KNOWN = frozenset(
    """
    AntiQuantMs __BLOCK_LOCAL__ BilinearInterpolation BitwiseAnd Conv2D Conv3D CheckLocalMemoryIA
    Dropout DropOut GroupNorm Hccl HcclHandle HCCL GetHcclContext InstanceNorm LoadDataUnzip LoadDataWithSparse
    LoadImageToLocal MetricsProfStart MetricsProfStop MmadWithSparse
    ScatterND SetQuantScalar SetQuantVector SetAippFunctions SetFixPipeClipRelu SetFixPipeAddr SetLoadDataBoundary SetLoadDataRepeat VectorPadding Conv3DBackpropFilter Conv3DBackpropInput WelfordUpdate
    WelfordFinalize WelfordRearrange NormalizeWithRstd LayerNormGrad LayerNormGradBeta DeepNorm BatchNorm Normalize
    SoftmaxFlashV3 AdjustSoftMaxRes Quantize Dequantize GmmDequant
    asc_vf_call Reg MicroAPI Simt LocalMemBar GetVecLen RegTensor MaskReg UnalignReg AddrReg RegTrait MaskDist SetWaitCore
    __VEC_SCOPE__ __simd_vf__ __simd_callee__ __simt_vf__ __simt_callee__ VF_CALL LAUNCH_BOUND Catlass catlass act tla pto
    LoadData3DParamsV1 LoadData3DParamsV2Pro LoadData2DParamsV2
    LoadData2dTransposeParamsV2 MmadBitModeParams FixpipeParamsM300 FixpipeParamsC310 Nz2NdParamsFull
    ConfusionTranspose PaddingMode Mutex BatchMode
    BatchNormTiling GroupNormTiling NormalizeTiling BroadCastVecToMM
    GetUBSizeInBytes Softplus Hypot LogicalAnd LogicalOr LogicalNot BitwiseOr BitwiseXor BitwiseNot IsNan IsInf IsFinite Where Neg
    Cauchy Hadamard PhiloxRandom Interleave DeInterleave CastPack Truncate WholeReduceProd Conv3dForward PopcountV2
    copy_gm_to_ubuf copy_ubuf_to_gm copy_ubuf_to_ubuf copy_gm_to_ubuf_align_b8 copy_gm_to_ubuf_align_b16 copy_gm_to_ubuf_align_b32
    copy_ubuf_to_gm_align_b8 copy_ubuf_to_gm_align_b16 copy_ubuf_to_gm_align_b32 copy_gm_to_cbuf copy_matrix_cc_to_gm
    copy_gm_to_cbuf_multi_nd2nz_b16 load_cbuf_to_ca load_cbuf_to_cb load_gm_to_cbuf mad vadd vmul vsub vdiv vadds vmuls vconv vexp
    vcadd vcgadd vcmax vector_dup vbrcb vsel vcmp scatter_vnchwconv_b16 scatter_vnchwconv_b32
    Mc2InitTiling Mc2CcTiling GatherMaskB LoadDataWithTransposeV2 Hcomm CastDeq AddReluCast SubReluCast AddDeqRelu MulCast BlockReduceProd
    """.split()
)
# What other chips have, and what the 910B has in its place.
_ELSEWHERE = dict.fromkeys(
    ("ProposalConcat", "ProposalExtract", "RpSort16", "MrgSort4"), "Concat, Sort32, MrgSort and Extract"
)
_NOT_A_MEMBER = re.compile(r"'(\w+)' is not a member of '(?:AscendC|matmul)(?:::[^']*)?'")
_UNDECLARED = re.compile(
    r"'(\w+)' (?:was not declared|has not been declared|does not name a type|is not a namespace-name|is not a class)|"
    r"no template named '(\w+)'|there are no arguments to '(\w+)'"
)
_SUGGESTED = re.compile(r"did you mean|suggested alternative")
_TEMPLATES = re.compile(rb"\bnamespace\s+(Catlass|catlass|tla|pto)\b")
_NO_MEMBER = re.compile(
    r"'(?:const )?(?:(?:class|struct) )?(?:AscendC|matmul)::.*'\}? has no member named '(\w+)'"
)
# A build for one tiling key at a time: here all keys are one object.
_KEY_IN_CONDITION = 'token "::" is not valid in preprocessor expressions'
_MISSING_HEADER = re.compile(r"^(\S+\.h(?:pp)?): No such file or directory")


def compiler_findings(stderr: str, places: Places, plain: str = "") -> list[Finding]:
    """What g++ says, with UNSUPPORTED_API for what exists and is not executed here: each once, and nothing that follows from it.

    Args:
        plain: what the compiler says of the same text in plain words, where it was asked.
    """
    said = gxx.placed(gxx.compiler_findings(stderr, places, _of_pytorch), plain, places)
    found = [_named(one) for one in said]
    first: dict[str, Finding] = {}
    for one in found:
        if one.code == "UNSUPPORTED_API":
            first.setdefault(str(one.data["api"]), one)
    if not first:
        return without_consequences(_of_templates(found, places), places)
    others = [one for one in found if one.code not in ("UNSUPPORTED_API", "COMPILE_ERROR")]
    return [*first.values(), *others]


def _of_pytorch(message: str, places: Places) -> Meaning | None:
    return Meaning("UNSUPPORTED_TORCH", message) if misses_torch(message) else None


def _of_templates(found: list[Finding], places: Places) -> list[Finding]:
    """Errors of a text that carries a template library which is not executed here are no errors of its kernel."""
    library = next((m for r in places.files.values() if (m := _TEMPLATES.search(r.original))), None)
    first = next((one for one in found if one.code == "COMPILE_ERROR"), None)
    if library is None or first is None:
        return found
    api = library[1].decode()
    message = f"the CPU target does not support {api}; verify the kernel on an NPU (target ascendc:...@npu)"
    merged = first.model_copy(update={"code": "UNSUPPORTED_API", "message": message, "data": {"api": api}})
    return [merged, *(one for one in found if one.code != "COMPILE_ERROR")]


def _is_known(name: str) -> bool:
    """An interface that is not executed here, or what stands behind one of those that are (`DataCopyPadGm2UBImpl`)."""
    inner = name.endswith("Impl") and any(name.startswith(api) for api in tools.function_templates())
    return inner or name in KNOWN or name in _ELSEWHERE


def _named(found: Finding) -> Finding:
    if found.code not in ("COMPILE_ERROR", "UNSUPPORTED_TORCH"):
        return found
    api: str | None = None
    member = _NOT_A_MEMBER.search(found.message)
    undeclared = _UNDECLARED.search(found.message)
    header = _MISSING_HEADER.search(found.message)
    without = _NO_MEMBER.search(found.message)
    if member and member[1].startswith("kw_"):
        message = f"an argument of this call has a type that the interface does not take: {found.message}"
        return found.model_copy(update={"message": message})
    if without and without[1][:1].isupper():
        api = without[1]
    elif member and not _SUGGESTED.search(found.message):
        api = member[1]
    elif undeclared and _is_known(next(filter(None, undeclared.groups()))):
        api = next(filter(None, undeclared.groups()))
    elif member and _is_known(member[1]):
        api = member[1]
    elif _KEY_IN_CONDITION in found.message:
        api = "TILING_KEY_VAR in #if"
    elif header and header[1].startswith(
        (
            "lib/",
            "adv_api/",
            "kernel_",
            "hccl/",
            "simt_api/",
            "reg_compute/",
            "catlass/",
            "tla/",
            "act/",
            "pto/",
            "hcomm/",
        )
    ):
        api = header[1]
    if api is None:
        return found
    message = f"the CPU target does not support {api}; verify the kernel on an NPU (target ascendc:...@npu)"
    if api in _ELSEWHERE:
        message = f"the 910B does not have {api} (the 310P has it); use {_ELSEWHERE[api]} instead"
    return found.model_copy(
        update={
            "code": "UNSUPPORTED_API",
            "severity": Severity.ERROR,
            "message": message,
            "data": {"api": api},
        }
    )
