"""What the model knows beside loads and arithmetic: products of matrices, asynchronous copies, streams, registers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain
from kernelwright_backends.cuda.nvcc import second_opinion
from kernelwright_backends.cuda.nvcc.toolkit import ToolkitMissing, find_toolkit
from kernelwright_backends.interfaces.build import CompileOptions
from kernelwright_backends.interfaces.run import RunResult
from kernelwright_verifier.sandbox import open_confinement

Trace = Callable[..., RunResult]
H200 = Target.parse("cuda:h200@cpu")


def test_products_of_matrices_are_counted_as_the_matrix_units_do_them(
    trace: Trace, toolchain: CudaCpuToolchain
) -> None:
    def traced(k: int) -> RunResult:
        return trace("single/matrix.cu", [
            {"name": "a", "shape": [256], "role": "input", "dtype": "float16"},
            {"name": "out", "shape": [256], "role": "output"},
            {"value": k},
        ])  # fmt: skip

    few, many = traced(64), traced(1024)
    counts = few.counters["samples"][0]["counts"]
    assert counts["products"] == 4 * 2  # of 16 x 8 x 16 each
    assert counts["multiply_adds"] == [4 * 16**3, 0, 0, 0]
    assert counts["shuffles"] == 0
    # Four matrices of eight rows at once: rows 80 bytes apart meet no bank twice.
    assert counts["shared_load_requests"] == 4 * 2
    # What the emulation computes for a product is no arithmetic of the kernel.
    assert many.counters["samples"][0]["instructions"]["fp64"] == 0
    assert toolchain.cost(many, H200, {}).latency_us > toolchain.cost(few, H200, {}).latency_us  # type: ignore[operator]


def test_a_copy_that_is_on_its_way_meanwhile_is_waited_for_less(
    trace: Trace, toolchain: CudaCpuToolchain
) -> None:
    def traced(ahead: int) -> RunResult:
        return trace("single/stages.cu", [
            {"name": "x", "shape": [128 * 64], "role": "input"},
            {"name": "out", "shape": [128], "role": "output"},
            {"value": 64},
            {"value": ahead},
        ])  # fmt: skip

    at_once, ahead = traced(0), traced(1)
    for result in (at_once, ahead):
        assert result.counters["samples"][0]["counts"]["asynchronous_requests"] == 64 * 4
    waited = [result.counters["samples"][0]["critical"]["batches"] for result in (at_once, ahead)]
    assert waited[0] >= 60 and waited[1] < 10
    estimates = [toolchain.cost(result, H200, {}) for result in (at_once, ahead)]
    assert estimates[1].latency_us < estimates[0].latency_us  # type: ignore[operator]
    assert [estimate.detail["moved"]["loaded_bytes"] for estimate in estimates] == [128 * 64 * 4] * 2


def test_streams_order_their_own_launches_alone(trace: Trace, toolchain: CudaCpuToolchain) -> None:
    def traced(apart: int) -> RunResult:
        return trace("single/streams.cu", [
            {"name": "x", "shape": [8 * 4096], "role": "input"},
            {"name": "out", "shape": [8 * 4096], "role": "output"},
            {"value": 8 * 4096},
            {"value": apart},
        ])  # fmt: skip

    chain, apart = traced(0), traced(1)
    assert [launch["after"] for launch in chain.counters["launches"]] == [[], *([n] for n in range(7))]
    after = [launch["after"] for launch in apart.counters["launches"]]
    assert after[:8] == [[], [], [], [], [0], [1], [2], [3]]
    assert sorted(after[8]) == [4, 5, 6, 7]
    # Nine launches on four streams are done before eight on one.
    estimates = [toolchain.cost(result, H200, {}).latency_us for result in (chain, apart)]
    assert estimates[1] < estimates[0]  # type: ignore[operator]


def test_registers_that_nvcc_allots_leave_room_for_fewer_blocks(
    trace: Trace, toolchain: CudaCpuToolchain
) -> None:
    result = trace("ladders/copy/plain.cu", [
        {"name": "x", "shape": [1 << 20], "role": "input"},
        {"name": "out", "shape": [1 << 20], "role": "output"},
        {"value": 1 << 20},
    ])  # fmt: skip
    kernel = result.counters["samples"][0]["kernel"]

    def cost(registers: int) -> Any:
        said = {"version": "13", "architecture": "sm_90", "kernels": {kernel: {"registers": registers}}}
        counted = result.model_copy(update={"counters": {**result.counters, "nvcc": said}})
        return toolchain.cost(counted, H200, {})

    few, many = cost(16), cost(255)
    assert few.detail["launches"][0]["registers"] == 16
    assert many.detail["launches"][0]["occupancy"] < few.detail["launches"][0]["occupancy"]
    assert many.latency_us > few.latency_us


@pytest.mark.parametrize(
    ("body", "refused"),
    [("x[i] * 2.0f", None), ("std::clamp(x[i], 0.0f, 1.0f)", 6)],
    ids=["taken", "refused"],
)
async def test_nvcc_gives_a_second_opinion(body: str, refused: int | None, tmp_path: Path) -> None:
    """COMPILE_NVCC."""
    try:
        find_toolkit()
    except ToolkitMissing as missing:
        pytest.skip(f"needs nvcc ({missing}): install kernelwright[nvcc]")
    file = tmp_path / "scale.cu"
    text = (
        "#include <algorithm>\n"
        "\n"
        "__global__ void scale(const float* x, float* out, int n) {\n"
        "    int i = threadIdx.x;\n"
        "    if (i < n)\n"
        f"        out[i] = {body};\n"
        "}\n"
    )
    confinement = open_confinement("auto")
    said = await second_opinion.opinion(
        text.encode(), file, index_of("cuda", text), H200, CompileOptions(), confinement
    )
    assert said is not None
    if refused is None:
        assert not said.findings
        assert said.kernels["scale"]["registers"] > 0
    else:
        assert [(f.code, f.line, f.severity.value) for f in said.findings] == [
            ("COMPILE_NVCC", refused, "warning")
        ]


def test_what_the_device_does_in_one_instruction_is_counted_as_one(trace: Trace) -> None:
    result = trace("single/instructions.cu", [
        {"name": "x", "shape": [1024], "role": "input"},
        {"name": "out", "shape": [1024], "role": "output"},
        {"value": 0},
    ])  # fmt: skip
    assert result.counters["samples"][0]["instructions"]["intrinsics"] == 64


def test_what_is_handed_to_a_function_by_its_value_is_loaded(trace: Trace) -> None:
    result = trace("single/instructions.cu", [
        {"name": "x", "shape": [1024], "role": "input"},
        {"name": "out", "shape": [1024], "role": "output"},
        {"value": 1},
    ])  # fmt: skip
    assert result.counters["samples"][0]["counts"]["load_requests"] == 16


def test_a_loop_whose_step_is_known_at_run_time_alone_waits_for_each_round(
    trace: Trace, toolchain: CudaCpuToolchain
) -> None:
    def traced(runtime: int) -> RunResult:
        return trace("single/rounds.cu", [
            {"name": "x", "shape": [1 << 20], "role": "input"},
            {"name": "out", "shape": [128], "role": "output"},
            {"value": 1 << 20},
            {"value": runtime},
        ])  # fmt: skip

    unrolled, serial = traced(0), traced(1)
    for result, expected in ((unrolled, False), (serial, True)):
        (load,) = (s for s in result.counters["samples"][0]["sites"] if s["how"] == "load")
        assert load["serial"] is expected and load["loop"] > 0
    quick, slow = (toolchain.cost(result, H200, {}).latency_us for result in (unrolled, serial))
    assert quick is not None and slow is not None and slow > 2 * quick


def test_rows_of_a_list_are_as_long_as_the_list_allows(trace: Trace) -> None:
    rows, length = 4096, 4096 * 20
    result = trace("single/rows.cu", [
        {"name": "start", "shape": [rows + 1], "role": "input", "dtype": "int32"},
        {"name": "values", "shape": [length], "role": "input"},
        {"name": "out", "shape": [rows], "role": "output"},
        {"value": rows},
    ])  # fmt: skip
    assert result.status == "ok"
    (sample,) = result.counters["samples"]
    (values,) = (s for s in sample["sites"] if s["allocation"] == 1)
    assert 0.8 < values["lanes"] / (128 * sample["sampled"] * length / rows) < 1.2
    assert values["most"] > 20  # the longest row of a warp


def test_arithmetic_of_pairs_is_one_instruction_and_their_stores_are_counted(trace: Trace) -> None:
    def traced(which: int, dtype: str, size: int) -> dict[str, Any]:
        result = trace("single/halves.cu", [
            {"name": "x", "shape": [64], "role": "input", "dtype": dtype},
            {"name": "out", "shape": [64], "role": "output", "dtype": "float16" if which == 0 else "bfloat16"},
            {"value": which},
        ])  # fmt: skip
        sample: dict[str, Any] = result.counters["samples"][0]
        assert sample["counts"]["load_bytes"] == 64 * size
        assert sample["counts"]["store_bytes"] == 128
        return dict(sample["instructions"])

    pairs = traced(0, "float16", 2)
    assert (pairs["fp32"], pairs["comparisons"]) == (16, 1)
    # A constant is encoded by the compiler.
    assert pairs["half_conversions"] == 0
    assert pairs["fp64"] == 0
    assert traced(1, "float32", 4)["half_conversions"] == 1


def test_atomics_on_device_variables_take_turns_at_their_line(
    trace: Trace, toolchain: CudaCpuToolchain
) -> None:
    def traced(near: int) -> RunResult:
        return trace("single/device_sums.cu", [
            {"name": "x", "shape": [32 * 1024], "role": "input"},
            {"name": "out", "shape": [1], "role": "output"},
            {"value": near},
        ])  # fmt: skip

    near, one = traced(1), traced(0)
    for result in (near, one):
        counts = result.counters["samples"][0]["counts"]
        assert (counts["atomic_requests"], counts["atomic_lanes"]) == (1, 32)
        # Constants come by a way of their own.
        assert counts["load_requests"] == 1
    # Eight blocks share a line; then all of them a place.
    assert 2 <= near.counters["samples"][0]["atomics"]["hot_blocks"] <= 8
    assert one.counters["samples"][0]["atomics"]["hot_blocks"] == 1024
    apart, together = (toolchain.cost(result, H200, {}).parts["atomics"] for result in (near, one))
    assert together > 10 * apart


def test_values_that_lead_outside_are_drawn_anew_from_zero_to_one(trace: Trace) -> None:
    result = trace("single/table.cu", [
        {"name": "x", "shape": [4096], "role": "input"},
        {"name": "table", "shape": [1024], "role": "input"},
        {"name": "out", "shape": [4096], "role": "output"},
        {"value": 4096},
    ])  # fmt: skip
    assert result.status == "ok" and not result.findings
    assert result.counters["samples"][0]["counts"]["load_requests"] == 2 * 8


def test_words_of_constant_memory_and_banks_of_the_l1_take_turns(trace: Trace) -> None:
    def counted(apart: int, stride: int) -> dict[str, int]:
        result = trace("single/tables.cu", [
            {"name": "x", "shape": [2048], "role": "input"},
            {"name": "out", "shape": [32], "role": "output"},
            {"value": apart},
            {"value": stride},
            {"value": 0},
        ])  # fmt: skip
        return dict(result.counters["samples"][0]["counts"])

    same, different = counted(0, 1), counted(7, 1)
    assert (same["constant_requests"], same["constant_words"]) == (1, 1)
    assert (different["constant_requests"], different["constant_words"]) == (1, 32)
    odd, even = counted(0, 33), counted(0, 32)
    assert odd["load_requests"] == even["load_requests"] == 1
    assert (odd["load_lines"], even["load_lines"]) == (32, 32)
    assert (odd["load_wavefronts"], even["load_wavefronts"]) == (1, 32)


@pytest.mark.parametrize("beside_others", [0, 1])
def test_whole_numbers_of_one_address_are_added_up_within_a_warp(
    beside_others: int, trace: Trace, toolchain: CudaCpuToolchain
) -> None:
    result = trace("single/tables.cu", [
        {"name": "x", "shape": [1 << 17], "role": "input", "dtype": "int32"},
        {"name": "out", "shape": [32 + (1 << 17)], "role": "output", "dtype": "int32"},
        {"value": beside_others},
        {"value": 0},
        {"value": 4096},
    ])  # fmt: skip
    counts = result.counters["samples"][0]["counts"]
    all_of_them = 1 + beside_others
    assert (counts["atomic_requests"], counts["atomic_lanes"]) == (all_of_them, 32 * all_of_them)
    assert counts["atomic_real_lanes"] == 0
    # 35 lanes a nanosecond were measured: 0.9 ns a warp; one by one they would take 0.77 ns each.
    atomics = toolchain.cost(result, H200, {}).parts["atomics"]
    if beside_others:
        assert atomics < 0.5 * 4096 * 32 * 0.77e-3
    else:
        assert atomics == pytest.approx(4096 * 0.9e-3, rel=0.2)
