"""Tables of constants, chips without one, and the reference's operators."""

from pathlib import Path

import pytest

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda import cost
from kernelwright_backends.cuda.cost.chip import find_chip, known_products
from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain
from kernelwright_backends.interfaces.run import RunResult

TABLES = Path(cost.__file__).parents[1] / "chips"
_SAMPLE = {
    "kernel": "copy", "grid": [65536, 1, 1], "block": [256, 1, 1], "shared_static": 0, "shared_dynamic": 0, "resident": 8,
    "sampled": 1, "unlogged": 1, "l1_bytes": 262144, "distances": [1],
    "counts": {
        "load_requests": 8, "load_lanes": 256, "load_sectors": 32, "load_lines": 8, "load_bytes": 1024, "store_requests": 8,
        "store_lanes": 256, "store_sectors": 32, "store_lines": 8, "store_bytes": 1024, "partial_sectors": 0,
        "shared_load_requests": 0, "shared_store_requests": 0, "shared_lanes": 0, "shared_wavefronts": 0, "shared_ideal": 0,
        "shared_atomic_requests": 0, "shared_atomic_wavefronts": 0, "atomic_requests": 0, "atomic_lanes": 0,
        "atomic_real_lanes": 0, "atomic_sectors": 0, "barriers": 0, "shuffles": 0, "matches": 0,
    },
    "critical": {"loads": 1, "batches": 1, "lines": 1, "shared_loads": 0, "shuffles": 0, "barriers": 0},
    "caches": {"l1_hits": 0, "l1_misses": 32, "l2_capacity_misses": 0, "partial_evictions": 0, "full_evictions": 0, "stored": 32},
    "allocations": [
        {"allocation": 0, "read": 32, "written": 0, "partial": 0, "read_by": [[0, 32]], "partial_by": []},
        {"allocation": 1, "read": 0, "written": 32, "partial": 0, "read_by": [], "partial_by": []},
    ],
    "atomics": {"hottest_lanes": 0, "hottest_requests": 0, "hot_line_sectors": 0, "hot_line_lanes": 0, "hot_blocks": 1},
    "instructions": None,
}  # fmt: skip
COPY = RunResult(
    status="ok",
    counters={
        "launches": [{"kernel": "copy", "sample": 0}],
        "samples": [_SAMPLE],
        "allocations": [{"name": "x", "bytes": 1 << 26}, {"name": "out0", "bytes": 1 << 26}],
    },
)


def target(chip: str) -> Target:
    return Target.parse(f"cuda:{chip}@cpu")


@pytest.mark.parametrize(("chip", "default"), [("sm_80", "a100-80"), ("sm_90", "h200"), ("sm_100", "b200")])
def test_an_architecture_stands_for_its_default_product(
    chip: str, default: str, toolchain: CudaCpuToolchain
) -> None:
    assert (
        toolchain.cost(COPY, target(chip), {}).latency_us
        == toolchain.cost(COPY, target(default), {}).latency_us
    )


def test_more_bandwidth_is_faster_and_what_nobody_measured_is_less_sure(toolchain: CudaCpuToolchain) -> None:
    a100, h200, b200 = (toolchain.cost(COPY, target(chip), {}) for chip in ("a100", "h200", "b200"))
    assert a100.latency_us is None  # an A100 of 40 or 80 GB: nobody knows
    a100 = toolchain.cost(COPY, target("a100-80"), {})
    assert a100.latency_us is not None and h200.latency_us is not None and b200.latency_us is not None
    assert a100.latency_us > h200.latency_us > b200.latency_us
    for known, guessed in ((h200, a100), (h200, b200)):
        assert known.high_us is not None and guessed.high_us is not None
        assert known.latency_us is not None and guessed.latency_us is not None
        assert guessed.high_us / guessed.latency_us > known.high_us / known.latency_us


@pytest.mark.parametrize("chip", ["sm_86", "sm_70"])
def test_a_chip_without_a_table_has_no_latency(chip: str, toolchain: CudaCpuToolchain) -> None:
    estimate = toolchain.cost(COPY, target(chip), {})
    assert estimate.latency_us is None
    assert [f.code for f in estimate.findings] == ["COST_NO_TABLE"]
    assert "h200" in estimate.findings[0].message
    assert toolchain.operators_us([(1e6, 1e6, False)], target(chip)) is None


def test_a_call_without_launches_has_no_latency(toolchain: CudaCpuToolchain) -> None:
    empty = RunResult(status="ok", counters={"launches": [], "samples": [], "allocations": []})
    assert [f.code for f in toolchain.cost(empty, target("h200"), {}).findings] == ["COST_NOT_TRACED"]


def test_operators_are_bound_by_bytes_or_by_arithmetic(toolchain: CudaCpuToolchain) -> None:
    h200 = target("h200")
    overhead = toolchain.operators_us([(0, 0, False)], h200)
    stream = toolchain.operators_us([(1e6, 4.2e9, False)], h200)
    matmul = toolchain.operators_us([(2 * 4096.0**3, 3 * 4 * 4096.0**2, True)], h200)
    both = toolchain.operators_us([(1e6, 4.2e9, False), (2 * 4096.0**3, 3 * 4 * 4096.0**2, True)], h200)
    assert overhead is not None and stream is not None and matmul is not None and both is not None
    assert 900 < stream < 1100
    assert 2000 < matmul < 4000  # 137 GFLOP in float32 without tensor cores
    # Of two operators in a row the second is launched while the first one runs.
    assert stream + matmul - overhead < both <= stream + matmul


@pytest.mark.parametrize("product", known_products())
def test_every_constant_of_a_table_has_its_source_beside_it(product: str) -> None:
    text = (TABLES / f"{product}.toml").read_text(encoding="utf-8")
    sourced = False  # by the section's heading or by the line above it
    for line in text.split("[processor]", 1)[1].splitlines():
        if line.startswith("["):
            sourced = "#" in line
        elif "=" in line:
            sourced = sourced or "#" in line
            assert sourced, line


@pytest.mark.parametrize("product", known_products())
def test_a_table_makes_a_possible_chip(product: str) -> None:
    chip = find_chip(target(product))
    assert chip is not None
    processor, memory, latency = chip.processor, chip.memory, chip.latency
    assert latency.shared_run < latency.l1 < latency.l2 < latency.dram
    assert memory.dram_bytes_per_us < memory.l2_write_bytes_per_us <= memory.l2_read_bytes_per_us
    at_the_ports = processor.count * memory.l2_port_bytes_per_clock * processor.clock_ghz * 1e3
    assert memory.l2_read_bytes_per_us < at_the_ports
    assert memory.dirty_bytes < memory.l2_bytes
    assert processor.fp64_per_clock <= processor.fp32_per_clock <= 4
    assert processor.special_per_clock < processor.integer_per_clock <= processor.issue_per_clock
    assert processor.shared_bytes < processor.l1_bytes
    # What the data sheets promise in float32: 19.5, 67, 67 and 75 TFLOP/s.
    promised = {"a100-80": 19.5, "h100": 67, "h200": 67, "b200": 75}[product]
    flops = processor.count * processor.fp32_per_clock * 64 * processor.clock_ghz * 1e-3
    assert flops == pytest.approx(promised, rel=0.05)
