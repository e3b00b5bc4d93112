"""Nsight Compute: its command line, its CSV by unit, and which bottleneck state its counters speak for."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from kernelwright_backends.cuda.gpu.external_tools import COUNTERS_REMEDY
from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import plain_name
from kernelwright_backends.interfaces.cost import Bottleneck, DeviceProfile, KernelMetrics

NOT_PERMITTED = (
    f"Nsight Compute may not read the GPU's counters (ERR_NVGPUCTRPERM); {COUNTERS_REMEDY}. The bottleneck is taken from "
    "the trace instead"
)

# Field of KernelMetrics -> metric, and the unit it is kept in; "" for a number or a ratio.
_METRICS = {
    "time_us": ("gpu__time_duration.sum", "us"),
    "dram_bytes": ("dram__bytes.sum", "byte"),
    "dram_throughput_percent": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
    "l2_throughput_percent": ("lts__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
    "l1_throughput_percent": ("l1tex__throughput.avg.pct_of_peak_sustained_active", "%"),
    "compute_throughput_percent": ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
    "issue_active_percent": ("smsp__issue_active.avg.pct_of_peak_sustained_active", "%"),
    "occupancy_percent": ("sm__warps_active.avg.pct_of_peak_sustained_active", "%"),
    "theoretical_occupancy_percent": ("sm__maximum_warps_per_active_cycle_pct", "%"),
    "l1_hit_percent": ("l1tex__t_sector_hit_rate.pct", "%"),
    "l2_hit_percent": ("lts__t_sector_hit_rate.pct", "%"),
    "sectors_per_load_request": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", ""),
    "lanes_per_instruction": ("smsp__thread_inst_executed_per_inst_executed.ratio", ""),
    "shared_conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", ""),
    "shared_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", ""),
    "l2_sectors": ("lts__t_sectors.sum", ""),
    "atomic_sectors": ("lts__t_sectors_op_atom.sum", ""),
    "reduction_sectors": ("lts__t_sectors_op_red.sum", ""),
    "registers": ("launch__registers_per_thread", ""),
    "shared_bytes": ("launch__shared_mem_per_block", "byte"),
    "blocks_by_registers": ("launch__occupancy_limit_registers", ""),
    "blocks_by_shared": ("launch__occupancy_limit_shared_mem", ""),
    "waves": ("launch__waves_per_multiprocessor", ""),
}
_WHOLE = ("registers", "shared_bytes", "blocks_by_registers", "blocks_by_shared")
_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}
_TIMES_US = {
    "ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6,
}  # fmt: skip

# Of the device's peak. NVIDIA's own guided analysis calls a unit busy from 60 % on, and two alike within a few percent. The
# others were set on kernels of a known bottleneck (benchmarks/accuracy/profile_states.py).
_BUSY_PERCENT = 60.0
_CLOSE = 0.95
_WASTEFUL_SECTORS = 16.0  # a request of 32 float4 takes 16, of 32 floats 4
_FEW_LANES = 16.0
_LOW_OCCUPANCY_PERCENT = 50.0
_FEW_WAVES, _HARDLY_WAVES = 0.5, 0.1
_STREAMED = 0.55  # of the L2's share, from which on what keeps it busy comes from the DRAM (copies: 0.67 to 1, from L2: 0.36)
_ATOMIC_SHARE = 0.1
_SHORT_US = 8.0  # with cold caches; an empty kernel takes 2.3
_CONFLICT_SHARE = 1 / 3


def command(program: Path, report: PurePath, argv: Sequence[str]) -> list[str]:
    """`argv` under Nsight Compute, from where it switches the profiler on; the table goes to the file `report`.

    Clocks are left as they are; caches are flushed before each launch, as they are when it is timed.
    """
    metrics = ",".join(metric for metric, _ in _METRICS.values())
    return [
        str(program), "--csv", "--page", "raw", "--print-units", "base", "--metrics", metrics, "--profile-from-start", "off",
        "--target-processes", "application-only", "--clock-control", "none", "--cache-control", "all",
        "--log-file", str(report), *argv,
    ]  # fmt: skip


def refused(text: str) -> bool:
    """Whether the driver keeps the counters to administrators."""
    return "ERR_NVGPUCTRPERM" in text


def problems(text: str) -> list[str]:
    """What Nsight Compute says that went wrong, errors first."""
    reported = [line.strip() for line in text.splitlines() if line.startswith(("==ERROR==", "==WARNING=="))]
    return [
        re.sub(r"^==\w+==\s*", "", line)
        for line in sorted(reported, key=lambda line: "ERROR" not in line[:9])
    ]


def read_launches(text: str) -> tuple[KernelMetrics, ...]:
    """The launches of a table, in order. A metric that the chip does not have, or whose unit is not known, is None."""
    return tuple(made for table in read_tables(text) if (made := launch_of(table)) is not None)


def read_tables(text: str) -> list[dict[str, tuple[str, str]]]:
    """Value and unit of each metric, launch by launch.

    Reads the wide table of `--page raw` (a row of names, one of units, then one a launch) and the long one of other pages (one
    row a metric).
    """
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    if len(rows) < 2:
        return []
    header = rows[0]
    if "Metric Name" in header:
        return _long(header, rows[1:])
    units = dict(zip(header, rows[1], strict=False))
    return [
        {name: (value, units.get(name, "")) for name, value in zip(header, row, strict=False)}
        for row in rows[2:]
    ]


def _long(header: list[str], rows: list[list[str]]) -> list[dict[str, tuple[str, str]]]:
    launches: dict[str, dict[str, tuple[str, str]]] = {}
    for row in rows:
        reported = dict(zip(header, row, strict=False))
        table = launches.setdefault(
            reported.get("ID", ""), {name: (value, "") for name, value in reported.items()}
        )
        table[reported.get("Metric Name", "")] = (
            reported.get("Metric Value", ""),
            reported.get("Metric Unit", ""),
        )
    return list(launches.values())


def launch_of(table: Mapping[str, tuple[str, str]]) -> KernelMetrics | None:
    """None where the row is not a launch with a time. Numbers may have separators of thousands."""
    values: dict[str, float | int] = {}
    for field, (metric, unit) in _METRICS.items():
        value = _value(*table.get(metric, ("", "")), unit)
        if value is not None:
            values[field] = int(value) if field in _WHOLE else value
    if "time_us" not in values or not table.get("Kernel Name", ("", ""))[0]:
        return None
    made = KernelMetrics(
        kernel=plain_name(table["Kernel Name"][0]),
        grid=_extent(table.get("Grid Size", ("", ""))[0]),
        block=_extent(table.get("Block Size", ("", ""))[0]),
        **values,
    )
    return made.model_copy(update={"bottleneck": bottleneck_of(made)})


def _value(text: str, unit: str, wanted: str) -> float | None:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None  # `n/a`, or a metric that was not collected
    if wanted == "us":
        factor = _TIMES_US.get(unit)
    elif wanted == "byte":
        found = re.fullmatch(r"(Ki|Mi|Gi|[KMGT]?)(?:byte|B)(?:/block)?", unit)
        factor = _PREFIXES[found[1]] if found else None
    elif wanted == "%":
        factor = 1.0 if unit in ("%", "") else None
    else:
        factor = 1.0
    return None if factor is None else number * factor


def _extent(text: str) -> tuple[int, int, int]:
    found = [int(part) for part in re.findall(r"\d+", text)]
    x, y, z = (*found, 1, 1, 1)[:3]
    return x, y, z


def profile_of(launches: Sequence[KernelMetrics], source: str) -> DeviceProfile:
    """The launches of one call, and what bounds it: the state of the longest, or that there are many short ones."""
    longest = max(launches, key=lambda launch: launch.time_us)
    bound = longest.bottleneck
    if len(launches) > 1 and longest.time_us < _SHORT_US:
        bound = Bottleneck.LAUNCH_OVERHEAD_DOMINANT
    return DeviceProfile(source=source, launches=tuple(launches), bottleneck=bound)


def bottleneck_of(launch: KernelMetrics) -> Bottleneck | None:
    """The state that the counters speak for, of those of the estimate; None where too few were had."""
    shares = {
        "dram": launch.dram_throughput_percent,
        "l2": launch.l2_throughput_percent,
        "l1": launch.l1_throughput_percent,
        "compute": launch.compute_throughput_percent,
    }
    known = {name: share for name, share in shares.items() if share is not None}
    if len(known) < 2:
        return None
    ordered = sorted(known.items(), key=lambda item: -item[1])
    (name, first), (second_name, second) = ordered[0], ordered[1]
    # The share of the L1 is that of the processors at work.
    if launch.waves is not None and launch.waves < _HARDLY_WAVES:
        return Bottleneck.INSUFFICIENT_PARALLELISM
    if first < _BUSY_PERCENT:
        return _of_latency(launch)
    if name == "l2" and known.get("dram", 0.0) > _STREAMED * first:
        name = "dram"
    if second > _CLOSE * first and "compute" in (name, second_name) and second >= _BUSY_PERCENT:
        return Bottleneck.BALANCED
    match name:
        case "dram":
            sectors = launch.sectors_per_load_request
            wasteful = sectors is not None and sectors > _WASTEFUL_SECTORS
            return Bottleneck.CACHE_INEFFICIENT if wasteful else Bottleneck.MEMORY_BANDWIDTH_SATURATED
        case "l1":
            conflicts, wavefronts = launch.shared_conflicts, launch.shared_wavefronts
            if conflicts is not None and wavefronts and conflicts > _CONFLICT_SHARE * wavefronts:
                return Bottleneck.SHARED_MEMORY_BANK_CONFLICTS
            return Bottleneck.CACHE_INEFFICIENT
        case "l2":
            return Bottleneck.CACHE_INEFFICIENT
    lanes = launch.lanes_per_instruction
    return (
        Bottleneck.THREAD_DIVERGENCE_HIGH
        if lanes is not None and lanes < _FEW_LANES
        else Bottleneck.COMPUTE_SATURATED
    )


def _of_latency(launch: KernelMetrics) -> Bottleneck:
    atomics = (launch.atomic_sectors or 0.0) + (launch.reduction_sectors or 0.0)
    if launch.l2_sectors and atomics > _ATOMIC_SHARE * launch.l2_sectors:
        return Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL
    if launch.waves is not None and launch.waves < _FEW_WAVES:
        return Bottleneck.INSUFFICIENT_PARALLELISM
    possible = launch.theoretical_occupancy_percent
    if possible is not None and possible < _LOW_OCCUPANCY_PERCENT:
        registers, shared = launch.blocks_by_registers, launch.blocks_by_shared
        if registers is not None and (shared is None or registers <= shared):
            return Bottleneck.LOW_OCCUPANCY_REGISTERS
        if shared is not None:
            return Bottleneck.LOW_OCCUPANCY_SHARED_MEMORY
    sectors = launch.sectors_per_load_request
    if sectors is not None and sectors > _WASTEFUL_SECTORS:
        return Bottleneck.CACHE_INEFFICIENT
    return Bottleneck.MEMORY_LATENCY_BOUND
