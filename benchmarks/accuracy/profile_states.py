"""Bottleneck states named from Nsight Compute's counters, over kernels whose bottleneck is known.

    python benchmarks/accuracy/profile_states.py --out FOLDER [--names GROUP/NN_variant,...]     needs a GPU, nvcc, ncu and PyTorch
    python benchmarks/accuracy/profile_states.py --read FOLDER                                  score tables made before

The kernels are ladders' (`lib/ladders.py`) and those of `states/`, each chosen for one state by what it is written to
do: a copy of wide words, a transposition through columns, an atomic operation an element, and so on. One process under
`ncu` calls each once to warm up and once profiled, with the product's own command line and some counters more; FOLDER keeps
the table as `ncu` wrote it (`profile.csv`) and the calls in order (`calls.json`). `results/profile_states.json` holds, a row a
kernel, the state expected, the state that `cuda/gpu/profiling.py` names, what the CPU's estimate names (results/estimate.json)
and the counters that were asked for. `--names` profiles others, a part of a name is enough.
"""

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "ladders"), str(HERE.parent), str(HERE.parents[1] / "backends")]

import measure  # noqa: E402  (benchmarks/ladders)
from lib import ladders, record  # noqa: E402

# By the names of their __global__ functions launches are told apart: no two of them may share one. What each kernel is written to be bound by; further states that a careful reader of its counters could name as well.
EXPECTED: dict[str, tuple[str, ...]] = {
    "softmax_half/04_warp_registers_eight": ("memory_bandwidth_saturated",),
    "gelu_half/05_eight_fast": ("memory_bandwidth_saturated",),
    "page_copy/03_warp_per_page": ("memory_bandwidth_saturated",),
    "adam_step/04_float4": ("memory_bandwidth_saturated",),
    "copy/02_thread_chunks_64": ("cache_inefficient",),
    "transpose/03_coalesced_write": ("cache_inefficient",),
    "stencil2d/01_rows_in_lanes": ("cache_inefficient",),
    "sgemm/01_naive_row_fastest": ("cache_inefficient",),
    "states/from_l2": ("cache_inefficient",),
    "transpose/04_tile_bank_conflicts": ("shared_memory_bank_conflicts",),
    "permute_half/03_tile_32": ("shared_memory_bank_conflicts",),
    "depthwise/03_tile_16": ("shared_memory_bank_conflicts",),
    "sgemm/07_register_8x8_double_buffer": ("compute_saturated", "balanced"),
    "nbody/04_shared_split_4": ("compute_saturated", "insufficient_parallelism"),
    "horner/05_four_at_once": ("compute_saturated",),
    "gelu_half/01_double_inside": ("compute_saturated",),
    "hamming/02_row_in_registers": ("compute_saturated",),
    "states/parted_lanes": ("thread_divergence_high",),
    "histogram/01_global_atomics": ("instruction_mix_suboptimal",),
    "reduce_sum/02_atomic_per_warp": ("instruction_mix_suboptimal",),
    "max_all/01_atomic_per_thread": ("instruction_mix_suboptimal",),
    "gemv/01_thread_per_row": ("insufficient_parallelism",),
    "copy/05_float4_gridstride_one_warp_per_sm": ("insufficient_parallelism",),
    "scan1d/02_one_block_carry": ("insufficient_parallelism",),
    "histogram/06_shared_8_blocks": ("insufficient_parallelism",),
    "states/chain": ("memory_latency_bound",),
    "scan1d/04_block_scan_shared": ("memory_latency_bound",),
    "states/many_registers": ("low_occupancy_registers",),
    "states/much_shared": ("low_occupancy_shared_memory",),
    "jacobi/02_two_buffers": ("launch_overhead_dominant",),
    "small_batch/02_one_launch_each": ("launch_overhead_dominant",),
}
# Beside those that the product asks for: what its thresholds and the estimate's constants can be compared with.
_MORE = (
    "smsp__inst_executed.sum", "sm__inst_executed.avg.per_cycle_elapsed", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    *(
        f"smsp__average_warps_issue_stalled_{why}_per_issue_active.ratio"
        for why in ("long_scoreboard", "short_scoreboard", "barrier", "lg_throttle", "mio_throttle", "math_pipe_throttle", "wait",
                    "not_selected", "drain", "membar")
    ),
)  # fmt: skip


def file_of(name: str) -> Path:
    group, kernel = name.split("/")
    own = HERE / "states" / "kernels" / f"{kernel}.cu"
    return own if group == "states" else ladders.unpacked() / "kernels" / group / f"{kernel}.cu"


def worker(build: Path, names: list[str]) -> None:
    """Under ncu: each kernel once to warm up, once between the profiler's start and stop."""
    import torch

    tasks: dict[Path, tuple[Any, ...]] = {}
    with torch.no_grad():
        for name in names:
            path, entry, args = measure.directive(file_of(name))
            if path not in tasks:
                tasks.clear()
                torch.cuda.empty_cache()
                module = measure.load_task(path)
                inputs = [t.cuda() for t in measure.make_inputs(module, torch)]
                out = module.Model(*module.get_init_inputs()).cuda()(*inputs).contiguous()
                tasks[path] = (module, inputs, out)
            module, inputs, out = tasks[path]
            call = getattr(ctypes.CDLL(str(build / f"{name.replace('/', '__')}.so")), entry)
            call.restype = None
            values = measure.bind(module, args, measure.signature(file_of(name), entry), inputs, out, torch)
            values.append(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
            call(*values)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStart()
            call(*values)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStop()


def profile(names: list[str], out: Path, ncu: str) -> None:
    from kernelwright_backends.cuda.gpu import profiling

    with tempfile.TemporaryDirectory(prefix="kernelwright-") as folder:
        build = Path(folder)
        nvcc = measure.find_nvcc()
        jobs = [(n, file_of(n), build / f"{n.replace('/', '__')}.so", nvcc, "sm_90") for n in names]
        with ThreadPoolExecutor(16) as pool:
            for name, _, problem in pool.map(measure.build_one, jobs):
                if problem:
                    raise SystemExit(f"{name}: {problem}")
        own = [
            sys.executable,
            str(Path(__file__).resolve()),
            "--worker",
            str(build),
            "--only",
            ",".join(names),
        ]
        report = (out / "profile.csv").resolve()
        command = profiling.command(Path(ncu), report, own)
        at = command.index("--metrics") + 1
        command[at] = ",".join((command[at], *_MORE))
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
        (out / "ncu.log").write_text(done.stdout[-20000:] + done.stderr[-20000:], encoding="utf-8")
        (out / "calls.json").write_text(json.dumps(names), encoding="utf-8")
        print(f"ncu ended with {done.returncode}; {report.stat().st_size if report.exists() else 0} bytes")


def score(folder: Path) -> None:
    from kernelwright_backends.cuda.gpu import profiling
    from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import plain_name

    read = [
        (launch, table)
        for table in profiling.read_tables((folder / "profile.csv").read_text(encoding="utf-8"))
        if (launch := profiling.launch_of(table)) is not None
    ]
    launches = [launch for launch, _ in read]
    estimates = {
        row["kernel"]: row.get("bottleneck") for row in record.read(record.RESULTS / "estimate.json")["rows"]
    }
    command = profiling.command(Path("ncu"), folder, [])
    wanted = {*command[command.index("--metrics") + 1].split(","), *_MORE}
    rows: list[dict[str, Any]] = []
    at = 0
    for name in json.loads((folder / "calls.json").read_text(encoding="utf-8")):
        text = file_of(name).read_text(encoding="utf-8")
        first = at
        while at < len(launches) and f" {plain_name(launches[at].kernel).split('<')[0]}(" in text:
            at += 1
        if first == at:
            rows.append({"kernel": name, "problem": "not in the table"})
            continue
        told = profiling.profile_of(launches[first:at], "Nsight Compute")
        longest = max(range(first, at), key=lambda i: launches[i].time_us)
        expected = EXPECTED.get(name)
        state = told.bottleneck.value if told.bottleneck else None
        row = {
            "kernel": name, "launches": at - first, "expected": expected, "state": state,
            "right": state in expected if expected else None, "estimate": estimates.get(name),
            "metrics": {k: v for k, (v, _) in read[longest][1].items() if k in wanted},
        }  # fmt: skip
        rows.append(row)
        print(
            f"{name:45s} {'' if expected is None else expected[0]:30s} {state!s:30s} {estimates.get(name)!s}"
        )
    judged = [row for row in rows if row.get("expected")]
    both = [row for row in rows if row.get("state") and row.get("estimate")]
    figures = {
        "kernels": len(judged),
        "state_right_share": round(sum(bool(row.get("right")) for row in judged) / max(1, len(judged)), 4),
        "estimate_agrees_share": round(sum(r["state"] == r["estimate"] for r in both) / max(1, len(both)), 4),
        "wrong": {r["kernel"]: r.get("state") for r in judged if not r.get("right")},
    }
    print(json.dumps(figures, indent=1))
    print(record.write("profile_states", seed=measure.SEED, figures=figures, rows=rows, compressed=True))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--read", type=Path)
    parser.add_argument("--names", default="")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.worker, options.only.split(","))
    elif options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        wanted = [part for part in options.names.split(",") if part]
        measured = [name for name, _ in measure.all_kernels(ladders.unpacked())]
        names = [n for n in measured if any(part in n for part in wanted)] if wanted else list(EXPECTED)
        # One task's kernels behind each other: its inputs are made once.
        profile(sorted(names), options.out, options.ncu)
    elif options.read:
        score(options.read)
    else:
        parser.error("--out FOLDER to profile, --read FOLDER to score")


if __name__ == "__main__":
    main()
