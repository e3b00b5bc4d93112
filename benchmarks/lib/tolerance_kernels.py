"""Right and wrong CUDA kernels with outputs of 8 and 16 bits, judged by the road that a user's take."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kernelwright_verifier.pipeline.run import VerifyOptions
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.verifier import read_candidate
from lib.tolerance_cases import task_text
from lib.warm_verifier import WarmVerifier

SEED = 20261127
_TYPES = {
    "bfloat16": ("__nv_bfloat16", "__bfloat162float", "__float2bfloat16", "cuda_bf16.h"),
    "float16": ("half", "__half2float", "__float2half", "cuda_fp16.h"),
}

_SCORES = """// kernelwright: task=TASK entry=scores args="q, k, out, q.shape[0], k.shape[0], q.shape[1]"
#include <HEADER>
__global__ void scores_kernel(const T* q, const T* k, T* out, int keys, int width) {
    const int key = blockIdx.x * blockDim.x + threadIdx.x;
    if (key >= keys) return;
    const float scale = rsqrtf(WIDTH);
    float sum = 0.0f;
    for (int d = 0; d < width; ++d) {
        sum += TO(q[blockIdx.y * width + d]) * TO(k[key * width + d]);
    }
    out[blockIdx.y * keys + key] = RESULT;
}
void scores(const T* q, const T* k, T* out, int queries, int keys, int width) {
    scores_kernel<<<dim3((keys + 63) / 64, queries), 64>>>(q, k, out, keys, width);
}
"""
_NORM = """// kernelwright: task=TASK entry=norm args="x, out, x.shape[0], x.shape[1]"
#include <HEADER>
__global__ void norm_kernel(const T* x, T* out, int rows, int width) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = lane; i < width; i += 32) sum += TO(x[row * width + i]);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    const float mean = sum / width;
    float square = 0.0f;
    for (int i = lane; i < width; i += 32) {
        const float c = TO(x[row * width + i]) - mean;
        square += c * c;
    }
    for (int d = 16; d > 0; d /= 2) square += __shfl_xor_sync(0xffffffffu, square, d);
    const float scale = rsqrtf(square / COUNT + 1e-5f);
    for (int i = lane; i < width; i += 32) out[row * width + i] = FROM((TO(x[row * width + i]) - mean) * scale * FACTOR);
}
void norm(const T* x, T* out, int rows, int width) {
    norm_kernel<<<(rows + 3) / 4, 128>>>(x, out, rows, width);
}
"""
_EIGHT = """// kernelwright: task=TASK entry=quantise args="x, out, x.shape[0], x.shape[1]"
#include <cuda_fp8.h>
__global__ void quantise_kernel(const float* x, OUT* out, int width) {
    const float* row = x + blockIdx.x * width;
    float most = 0.0f;
    for (int i = threadIdx.x; i < width; i += 32) most = fmaxf(most, fabsf(row[i]));
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    const float scale = TOPf / fmaxf(most, 1e-6f);
    for (int i = threadIdx.x; i < width; i += 32) {
        const float y = fminf(fmaxf(row[i] * scale * FACTOR, -TOPf), TOPf);
        out[blockIdx.x * width + i] = STORED;
    }
}
void quantise(const float* x, OUT* out, int rows, int width) {
    quantise_kernel<<<rows, 32>>>(x, out, width);
}
"""
_EIGHTS = {
    "float8_e4m3fn": ("__nv_fp8_e4m3", "448.0"),
    "float8_e5m2": ("__nv_fp8_e5m2", "57344.0"),
    "int8": ("signed char", "127.0"),
}


class Case(NamedTuple):
    """One kernel and its task."""

    operator: str
    name: str
    kind: str
    text: str
    task: str


def filled(text: str, words: dict[str, str]) -> str:
    """A template with whole words replaced, until none is left."""
    pattern = re.compile(rf"\b({'|'.join(words)})\b")
    while (other := pattern.sub(lambda m: words[m[1]], text)) != text:
        text = other
    return text


def cases() -> Iterator[Case]:
    """All of them."""
    for dtype, (name, to, back, header) in _TYPES.items():
        words = {"T": name, "TO": to, "FROM": back, "HEADER": header, "TASK": "task.py"}
        scores = task_text(
            "return (q @ k.t()) * (q.shape[1] ** -0.5)",
            f"q, k: torch.randn(32, 60).to(torch.{dtype}), torch.randn(96, 60).to(torch.{dtype})",
        )
        for kernel, kind, width, result in (
            ("one rounding", "right", "(float)width", "FROM(sum * scale)"),
            ("rounds the product too", "right", "(float)width", "FROM(TO(FROM(sum)) * scale)"),
            ("padded scale", "wrong", "(float)((width + 7) / 8 * 8)", "FROM(sum * scale)"),
            ("3 % too small", "wrong", "(float)width", "FROM(sum * scale * 0.97f)"),
            ("zeros", "wrong", "(float)width", "FROM(0.0f * sum)"),
        ):
            text = filled(_SCORES, {"WIDTH": width, "RESULT": result} | words)
            yield Case(f"scores {dtype}", kernel, kind, text, scores)
        norm = task_text("return F.layer_norm(x, (96,))", f"x: torch.randn(50, 96).to(torch.{dtype})")
        for kernel, kind, count, factor in (
            ("one rounding", "right", "width", "1.0f"),
            ("unbiased", "wrong", "(width - 1)", "1.0f"),
            ("twice", "wrong", "width", "2.0f"),
        ):
            text = filled(_NORM, {"COUNT": count, "FACTOR": factor} | words)
            yield Case(f"layer_norm {dtype}", kernel, kind, text, norm)
    for dtype, (name, top) in _EIGHTS.items():
        stored = "(signed char)ROUNDED(y)" if dtype == "int8" else f"{name}(y)"
        task = task_text(
            f"s = {top} / x.abs().amax(-1, keepdim=True).clamp(min=1e-6)\n        y = (x * s).clamp(-{top}, {top})\n        "
            f"return {'torch.round(y)' if dtype == 'int8' else 'y'}.to(torch.{dtype})",
            "x: torch.randn(40, 100)",
        )
        kernels = [
            ("as the reference", "right", "1.0f", "rintf"),
            ("3 % too small", "wrong", "0.97f", "rintf"),
            ("half", "wrong", "0.5f", "rintf"),
            ("zeros", "wrong", "0.0f", "rintf"),
        ]
        if dtype == "int8":
            kernels.append(("truncated", "wrong", "1.0f", "truncf"))
        for kernel, kind, factor, rounding in kernels:
            words = {"OUT": name, "TOPf": f"{top}f", "FACTOR": factor, "TASK": "task.py"}
            text = filled(_EIGHT, {"STORED": stored.replace("ROUNDED", rounding)} | words)
            yield Case(f"quantised {dtype}", kernel, kind, text, task)


def judged_kernels(only: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each."""
    warm, rows = WarmVerifier(Configuration()), []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases()):
            if only and not any(word in case.operator for word in only):
                continue
            place = Path(folder) / str(number)
            place.mkdir()
            (place / "task.py").write_text(case.task, encoding="utf-8")
            (place / "kernel.cu").write_text(case.text, encoding="utf-8")
            rows.append(warm.run(_row(warm, case, place / "kernel.cu")))
            print(case.operator, case.name, case.kind, rows[-1]["text"][:200])
    warm.close()
    return rows


async def _row(warm: WarmVerifier, case: Case, path: Path) -> dict[str, Any]:
    (plan,) = warm.verifier.plan(read_candidate(path))
    verdict = await warm.verifier.verdict(plan, VerifyOptions(seed=SEED))
    errors = [f"{f.code} {f.message}" for f in verdict.findings if f.severity.value == "error"]
    return {
        "operator": case.operator,
        "kernel": case.name,
        "kind": case.kind,
        "passed": verdict.feasible is True,
        "text": errors[0] if errors else "",
        "end_to_end": True,
    }
