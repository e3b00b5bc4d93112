"""Precision levels: a kernel that computes as PyTorch does on a GPU, in TF32, is correct where no more is asked, and says so."""

import json
from pathlib import Path
from typing import Any

import pytest

TASK = """\
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, w):
        return F.conv1d(x, w)


def get_inputs():
    return [torch.randn(2, 24, 40), torch.randn(8, 24, 5)]


def get_init_inputs():
    return []
"""
KERNEL = """\
// kernelwright: task=conv.py entry=conv args="x, w, out, x.shape[1], x.shape[2], w.shape[2]"
__device__ float cut(float value) {  // to the nearest
    return __uint_as_float((__float_as_uint(value) + ((~BITS + 1u) >> 1)) & BITS);
}

__global__ void conv_kernel(const float* x, const float* w, float* out, int channels, int width, int taps) {
    const int columns = width - taps + 1, column = threadIdx.x;
    if (column >= columns) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; ++c) {
        for (int t = 0; t < taps; ++t) {
            sum += cut(x[(blockIdx.y * channels + c) * width + column + t]) * cut(w[(blockIdx.x * channels + c) * taps + t]);
        }
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * columns + column] = sum;
}

void conv(const float* x, const float* w, float* out, int channels, int width, int taps) {
    conv_kernel<<<dim3(8, 2), 64>>>(x, w, out, channels, width, taps);
}
"""
FLOAT32, TF32, BFLOAT16 = "0xffffffffu", "0xffffe000u", "0xffff0000u"


@pytest.fixture
def checked(tmp_path: Path, kernelwright: Any) -> Any:
    """Check a kernel whose operands keep `bits`; its status and what was printed."""

    def check(bits: str, *given: str, format: str = "json") -> tuple[int, str]:
        (tmp_path / "conv.py").write_text(TASK)
        (tmp_path / "conv.cu").write_text(KERNEL.replace("BITS", bits))
        done = kernelwright(
            "check", "conv.cu", "--no-latency", "--format", format, "--seed", "5", *given, cwd=tmp_path
        )
        return done.returncode, done.stdout

    return check


@pytest.mark.parametrize(
    ("bits", "asked", "held"),
    [
        (FLOAT32, "as_reference", "strict"),
        (TF32, "as_reference", "as_reference"),
        (TF32, "strict", None),
        (BFLOAT16, "as_reference", None),
    ],
)
def test_a_verdict_says_which_precision_it_holds(
    checked: Any, bits: str, asked: str, held: str | None
) -> None:
    status, printed = checked(bits, "--precision", asked)
    verdict = json.loads(printed)
    codes = {f["code"] for gate in verdict["gates"] for f in gate["findings"]}
    assert (status, verdict["precision"], verdict["precision_asked"]) == (int(held is None), held, asked), (
        codes
    )
    assert ("MISMATCH_PRECISION" in codes) is (held == "as_reference")
    assert ("MISMATCH_VALUE" in codes) is (held is None)
    assert ("--precision as_reference" in verdict["reproduce"]) is (asked == "as_reference")


def test_a_project_chooses_the_precision_and_the_text_says_what_holds(checked: Any, tmp_path: Path) -> None:
    assert checked(TF32)[0] == 1, "strict unless somebody says otherwise"
    (tmp_path / "kernelwright.toml").write_text('[check]\nprecision = "as_reference"\n')
    status, printed = checked(TF32, format="text")
    assert status == 0 and "(precision: as_reference)" in printed and "MISMATCH_PRECISION" in printed
    assert checked(TF32, "--precision", "strict")[0] == 1, "the command line wins over the project"
