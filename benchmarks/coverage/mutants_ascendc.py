"""Defects put into correct Ascend C programs, one at a time: which of them the CPU target finds.

    python benchmarks/coverage/mutants_ascendc.py [--only WORD ...] [--jobs 2] [--output mutants_ascendc]
    python benchmarks/coverage/mutants_ascendc.py --folder FOLDER [--output NAME]

`mutants/*.asc` are correct programs that check their own results. Each rule below is a mechanical change of the text, made
at every place where its pattern stands (the first of each program), with the codes that speak of such a
defect. A mutant is caught if it is refused by one of these codes; one whose result is wrong but which no code explains, or
that nobody notices, is missed. The programs as they stand, and those of `tests/backends/ascendc/programs`, must
not be accused: a finding of severity error or warning is an accusation.

The second form judges any folder of files that say themselves what is expected of them (`lib/marked_files.py`).
"""

import argparse
import asyncio
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import marked_files, record

from kernelwright_backends.core.finding import Finding, Severity
from kernelwright_backends.core.registry import index_of, toolchain_for
from kernelwright_backends.core.target import DEFAULT_TARGETS
from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_backends.interfaces.run import RunRequest
from kernelwright_verifier.sandbox import open_confinement

SET = Path(__file__).resolve().parent / "mutants"
PROGRAMS = Path(__file__).resolve().parents[2] / "tests" / "backends" / "ascendc" / "programs"
_MOST_PLACES = 1


@dataclass(frozen=True)
class Rule:
    name: str
    pattern: str
    replacement: str
    codes: str
    """of which one must be told"""
    files: str = ""
    """a regular expression; only programs whose name it matches"""


RULES = (
    # queues
    Rule("drop EnQue", r"\n *\w+\.EnQue\(\w+\);", "\n", "QUE_EMPTY_DEQUE QUE_STATE QUE_LEAK RACE_RAW"),
    Rule("EnQue twice", r"(\w+\.EnQue\(\w+\);)", r"\1 \1", "QUE_STATE QUE_DOUBLE_FREE"),
    Rule("drop DeQue", r"\n *\w+ = \w+\.DeQue<\w+>\(\);", "\n", "QUE_STATE RACE_RAW QUE_LEAK QUE_EMPTY_DEQUE"),
    Rule("DeQue twice", r"(\w+ = \w+\.DeQue<\w+>\(\);)", r"\1 \1", "QUE_EMPTY_DEQUE QUE_LEAK QUE_STATE", "queues|repeats"),
    Rule("drop FreeTensor", r"\n *\w+\.FreeTensor\(\w+\);", "\n", "QUE_LEAK QUE_STATE QUE_EMPTY_DEQUE"),
    Rule("FreeTensor twice", r"(\w+\.FreeTensor\(\w+\);)", r"\1 \1", "QUE_DOUBLE_FREE QUE_STATE"),
    Rule("free by another queue", r"first\.FreeTensor\(a\)", "second.FreeTensor(a)", "QUE_FOREIGN QUE_STATE", "queues"),
    Rule("free before use", r"(Add\(c, a, b, TILE\);)(\s*)(first\.FreeTensor\(a\);)", r"\3\2\1", "USE_AFTER_FREE RACE_WAR", "queues"),
    Rule("use after free", r"(in\.FreeTensor\(a\);)", r"\1 Muls(a, a, static_cast<decltype(a.GetValue(0))>(2.0f), 8);", "USE_AFTER_FREE", "choice|repeats"),
    Rule("AllocTensor again", r"(LocalTensor<(\w+)> \w+ = (\w+)\.AllocTensor<\w+>\(\);)", r"\1 \3.AllocTensor<\2>(); \3.AllocTensor<\2>();", "QUE_STATE QUE_LEAK QUE_EMPTY_DEQUE BUF_NUM_LIMIT CROSS_DEADLOCK"),
    # room
    Rule("a buffer beyond the memory", r"(InitBuffer\(\w+, 2), TILE \* sizeof\(float\)", r"\1, 100 * 1024", "UB_CAPACITY"),
    Rule("nine buffers", r"InitBuffer\((first|in|out), [12],", r"InitBuffer(\1, 9,", "BUF_NUM_LIMIT UB_CAPACITY", "queues|repeats|choice"),
    Rule("a buffer too short", r"(InitBuffer\((?:result|buffer|in|out|wide)(?:, [12])?), ([^;]*)\);", r"\1, (\2) / 2);", "UB_OOB"),
    Rule("instruction beyond its buffer", r"(Adds?|Muls)\((\w), (\w), ([^;]*?)(TILE|\bN)\);", r"\1(\2, \3, \4\5 + 64);", "UB_OOB UNINIT_READ"),
    Rule("instruction at an odd address", r"(Adds?|Muls|Select)\((\w), ", r"\1(\2[1], ", "UB_MISALIGN UB_OOB"),
    Rule("copy to an odd address", r"DataCopy\(([abc]), ", r"DataCopy(\1[3], ", "UB_MISALIGN UB_OOB"),
    # copies
    Rule("no whole number of units", r"DataCopy\((\w+(?:\[[^]]*\])?), (\w+(?:\[[^]]*\])?), (TILE|N)\)", r"DataCopy(\1, \2, \3 - 3)", "DATACOPY_ALIGN UNINIT_READ"),
    Rule("too many blocks", r"DataCopyParams rows\(ROWS,", "DataCopyParams rows(5000,", "DATACOPY_RANGE UB_OOB"),
    Rule("a block too long", r"DataCopyExtParams\((\w+), [^,]*,", r"DataCopyExtParams(\1, 3000000,", "DATACOPY_RANGE"),
    Rule("no block", r"DataCopyExtParams\((?:ROWS|1),", "DataCopyExtParams(0,", "DATACOPY_RANGE UNINIT_READ MISMATCH_EXIT"),
    Rule("drop a copy in", r"\n *DataCopy(?:Pad)?\([ab], [^;]*;", "\n", "UNINIT_READ EVENT_UNPAIRED"),
    Rule("read behind the end", r"(DataCopy\([ab], (?:from|other))(?:\[[^]]*\])?,", r"\1[GetBlockNum() * 100000],", "GM_OOB_READ"),
    Rule("write behind the end", r"(DataCopy(?:Pad)?\((?:to|sum))(?:\[[^]]*\])?,", r"\1[GetBlockNum() * 100000],", "GM_OOB_WRITE"),
    Rule("cores write the same place", r"(to\.SetGlobalBuffer\(\(__gm__ float\*\)\w) \+ (?:start|me \* N)", r"\1", "GM_MULTICORE_OVERLAP", "queues|flags|cores"),
    Rule("a core writes into the next one's share", r"(to\.SetGlobalBuffer\(\(__gm__ float\*\)\w) \+ start", r"\1 + start + TILE", "GM_OOB_WRITE GM_MULTICORE_OVERLAP"),
    # flags
    Rule("drop SetFlag", r"\n *SetFlag<[^;]*;", "\n", "EVENT_UNPAIRED"),
    Rule("drop WaitFlag", r"\n *WaitFlag<[^;]*;", "\n", "EVENT_UNPAIRED"),
    Rule("drop a pair", r"\n *SetFlag<(\w+::\w+)>\((\w+)\);\n *WaitFlag<\1>\(\2\);", "\n\n", "RACE_RAW RACE_WAR RACE_WAW"),
    Rule("another event", r"SetFlag<HardEvent::(?:MTE2_V|MTE2_MTE3)>", "SetFlag<HardEvent::MTE3_MTE2>", "EVENT_UNPAIRED"),
    Rule("another number", r"(?<!\w)SetFlag<(\w+::\w+)>\(\w+\);", r"SetFlag<\1>(EVENT_ID5);", "EVENT_UNPAIRED"),
    Rule("set twice", r"(?<!\w)(SetFlag<[^;]*;)", r"\1 \1", "EVENT_UNPAIRED"),
    Rule("events that are never given back", r"(TEventID loaded = pipe\.AllocEventID<HardEvent::MTE2_V>\(\);)", r"\1 for (int k = 0; k < 8; ++k) pipe.AllocEventID<HardEvent::MTE2_V>();", "EVENT_EXHAUSTED"),
    Rule("a flag that does not exist", r"EVENT_ID([0-3])", r"(8 + \1)", "EVENT_EXHAUSTED EVENT_UNPAIRED"),
    Rule("copy over what is being copied out", r"(DataCopy\(to, a, N\);)", r"\1 DataCopy(a, from, N);", "RACE_WAR", "cores|pairs"),
    Rule("two copies into one place", r"(DataCopy\(a, from[^;]*;)", r"\1 \1", "RACE_WAW", "flags|cores|pairs"),
    # masks, strides, conversions
    Rule("mask 0", r"64, ROWS, UnaryRepeatParams", "uint64_t(0), ROWS, UnaryRepeatParams", "MASK_RANGE"),
    Rule("mask beyond a repeat", r"(WholeReduceSum\(s, f, )60", r"\g<1>100", "MASK_RANGE"),
    Rule("mask of another type", r"64, ROWS, UnaryRepeatParams", "128, ROWS, UnaryRepeatParams", "MASK_RANGE"),
    Rule("repeats beyond 255", r"WholeReduceSum\(s, f, 60, ROWS, 1, 1, 8\)", "WholeReduceSum(s, f, 60, 256, 1, 1, 0)", "REPEAT_RANGE"),
    Rule("one repeat too many", r"64, ROWS, UnaryRepeatParams", "64, ROWS + 1, UnaryRepeatParams", "UB_OOB UNINIT_READ"),
    Rule("block stride 0", r"UnaryRepeatParams\(1, 1, 8, 8\)", "UnaryRepeatParams(0, 1, 8, 8)", "STRIDE_ZERO"),
    Rule("repeat stride 0", r"UnaryRepeatParams\(1, 1, 8, 8\)", "UnaryRepeatParams(1, 1, 0, 8)", "STRIDE_ZERO"),
    Rule("a stride too long", r"UnaryRepeatParams\(1, 1, 8, 8\)", "UnaryRepeatParams(1, 1, 8, 16)", "UB_OOB UNINIT_READ"),
    Rule("a conversion that does not exist", r"Cast\(f, a, RoundMode::CAST_NONE, (ROWS \* ROOM)\)", r"Cast(f, a, RoundMode::CAST_ODD, \1)", "CAST_UNSUPPORTED"),
    Rule("no whole number of 256 bytes", r"GT, N\)", "GT, N - 32)", "COMPARE_256B UNINIT_READ"),
    Rule("no room to reduce", r"InitBuffer\(scratch, 1024\)", "InitBuffer(scratch, 32)", "TMP_TOO_SMALL"),
    Rule("an interface that is not executed", r"Muls\((\w), (\w), ", r"AscendC::VectorPadding(\1, \2, ", "UNSUPPORTED_API"),
    # cores
    Rule("drop SetAtomicNone", r"\n *SetAtomicNone\(\);", "\n", "ATOMIC_LEFT_ON"),
    Rule("drop SetAtomicAdd", r"\n *SetAtomicAdd<float>\(\);", "\n", "GM_MULTICORE_OVERLAP"),
    Rule("no barrier before what others wrote", r"\n *SyncAll\(none, work\);", "\n", "GM_STALE_READ"),
    Rule("a barrier that one core passes by", r"SyncAll\(\);", "if (GetBlockIdx()) SyncAll();", "CROSS_DEADLOCK"),
    Rule("no room for the barrier", r"waiting\.Get<int32_t>\(\)", "waiting.Get<int32_t>(8)", "SYNCALL_WS_SMALL"),
    Rule("drop CrossCoreSetFlag", r"\n *CrossCoreSetFlag<[^;]*;", "\n", "CROSS_DEADLOCK"),
    Rule("another flag between cores", r"CrossCoreWaitFlag\(\d\)", "CrossCoreWaitFlag(9)", "CROSS_DEADLOCK"),
    # caches, and what is read back
    Rule("drop a clean of what was stored", r"\n *DataCacheCleanAndInvalid<[^;]*\(counts\[me[^;]*;", "\n", "GM_STALE_READ"),
    Rule("drop the reader's clean", r"\n *DataCacheCleanAndInvalid<[^;]*\(counts\[next[^;]*;", "\n", "GM_STALE_READ"),
    Rule("scalars of two cores in a line", r"LINE = 16", "LINE = 8", "GM_MULTICORE_OVERLAP GM_STALE_READ"),
    Rule("read back too early", r"\n *SetFlag<HardEvent::MTE3_MTE2>[^;]*;\n *WaitFlag<HardEvent::MTE3_MTE2>[^;]*;", "\n\n", "RACE_RAW", "caches"),
    Rule("add to what one core still fills", r"(DataCopy\(sum, b, N\);.*?)\n *SyncAll\(\);", r"\1\n", "GM_MULTICORE_OVERLAP", "caches"),
    Rule("offsets in elements", r"\(N - 1\) \* 4\), int32_t\(-4\)", "(N - 1)), int32_t(-1)", "UB_MISALIGN"),
    Rule("counting goes on", r"SetMaskNorm\(\);\n *ResetMask\(\);", "", "MASK_RANGE", "caches"),
    # tails and shares
    Rule("the tail stays in its queue", r"(c = out\.DeQue<float>\(\);)(\s*DataCopyPad\(to)", r"if (n == TILE) \1\2", "QUE_STATE QUE_LEAK RACE_RAW", "tails"),
    Rule("the whole tile of a tail is copied out", r"(DataCopyPad\(to\[begin\], c, \{1, uint32_t\()n ", r"\1TILE ", "GM_OOB_WRITE GM_MULTICORE_OVERLAP UNINIT_READ", "tails"),
    Rule("a tail that is cut to whole units", r"DataCopyPad\(to\[begin\], c, [^;]*;", "DataCopy(to[begin], c, n);", "DATACOPY_ALIGN", "tails"),
    Rule("a tail that is padded on the way in only", r"DataCopyPad\(a, from\[begin\], [^;]*;", "DataCopy(a, from[begin], n);", "DATACOPY_ALIGN", "tails"),
    Rule("more tensors than the queue is deep", r"(in\.EnQue\(a\);)", r"\1 LocalTensor<float> more = in.AllocTensor<float>(); DataCopy(more, from, 8); in.EnQue(more);", "QUE_STATE QUE_LEAK QUE_EMPTY_DEQUE", "tails"),
    Rule("shares that begin too late", r"start = me \* SHARE", "start = me * SHARE + (me ? 8 : 0)", "GM_OOB_READ GM_OOB_WRITE", "tails"),
    Rule("slots that overlap", r"workspace\[me \* SLOT\]", "workspace[me * SLOT / 2]", "GM_MULTICORE_OVERLAP", "tails"),
    Rule("slots are read before all have stored", r"\n *SyncAll\(\);", "\n", "GM_STALE_READ UNINIT_READ", "tails"),
    Rule("working tensors that overlap", r"(GetWithOffset<float>\(TILE, TILE \* sizeof\(float\))\)", r"\1 / 2)", "UB_OVERLAP", "tails"),
    # the cube unit
    Rule("sums over what is still copied out", r"(WaitFlag<HardEvent::FIX_M>\(EVENT_ID2\);)(\s*)(Mmad\(c[^;]*;)", r"\3\2\1", "RACE_WAR RACE_WAW", "fractals"),
    Rule("sums copied out too early", r"(WaitFlag<HardEvent::M_FIX>\(EVENT_ID0\);)(\s*)(Fixpipe\(to[^;]*;)", r"\3\2\1", "RACE_RAW", "fractals"),
    Rule("fractals loaded over those in use", r"(WaitFlag<HardEvent::M_MTE1>\(EVENT_ID1\);)(\s*)(LoadData\(a2[^;]*;)", r"\3\2\1", "RACE_WAR", "fractals"),
    Rule("a product before its fractals are there", r"(WaitFlag<HardEvent::MTE1_M>\(EVENT_ID3\);)(\s*)(WaitFlag<[^;]*;)(\s*)(Mmad\(c[^;]*;)", r"\3\2\5\4\1", "RACE_RAW", "fractals"),
    Rule("fractals behind the end", r"b1\[column \* K \* BLOCK\]", "b1[(column + 1) * K * BLOCK]", "UB_OOB UNINIT_READ", "fractals"),
    Rule("nobody filled the sum", r"on_device\(std::vector<float>\(N, 0\.0f\)\)", "room<float>(N)", "UNINIT_READ"),
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    program: str
    rule: Rule | None
    """None: the program as it stands"""
    line: int
    text: str
    beside: Path = SET
    """the folder that its `check.h` is of"""


def mutants(only: list[str]) -> Iterator[Mutant]:
    """The programs as they stand, and every one with one change."""
    for path in sorted(PROGRAMS.glob("*.asc")) if not only else ():
        yield Mutant(path.stem, None, 0, path.read_text(encoding="utf-8"), PROGRAMS)
    for path in sorted(SET.glob("*.asc")):
        text = path.read_text(encoding="utf-8")
        yield Mutant(path.stem, None, 0, text)
        for rule in RULES:
            if not re.match(rule.files or "", path.stem):
                continue
            if only and not any(word in rule.name or word in path.stem for word in only):
                continue
            places = list(re.finditer(rule.pattern, text))
            step = max(1, -(-len(places) // _MOST_PLACES))
            for match in places[::step]:
                changed = text[: match.start()] + match.expand(rule.replacement) + text[match.end() :]
                if changed != text:
                    line = text.count("\n", 0, match.start()) + 1 + match[0].startswith("\n")
                    yield Mutant(path.stem, rule, line, changed)


async def judged(mutant: Mutant, folder: Path) -> dict[str, Any]:
    """What the CPU target says of one text."""
    target = DEFAULT_TARGETS["ascendc"]
    path = folder / f"{mutant.program}.asc"
    toolchain = toolchain_for(target)
    confinement = open_confinement()
    built = await toolchain.build(
        mutant.text, path, index_of("ascendc", mutant.text), None, target, confinement
    )
    found: list[Finding] = list(built.findings)
    status, ended = "refused", None
    if built.object is not None:
        request = RunRequest(mapping=Path("/dev/null"), calls=(), limits=Limits(time_s=60))
        result = await toolchain.run(built, request, target, confinement)
        found += result.findings
        status, ended = result.status, result.exit_status
    accusing = [f for f in found if f.severity in (Severity.ERROR, Severity.WARNING)]
    codes = sorted({f.code for f in accusing} | ({"MISMATCH_EXIT"} if ended else set()))
    return {
        "program": mutant.program, "rule": mutant.rule.name if mutant.rule else None, "line": mutant.line,
        "status": status, "exit": ended, "codes": codes,
        "lines": sorted({f.line for f in accusing}),
        "caught": bool(set(codes) & set(mutant.rule.codes.split())) if mutant.rule else None,
        "accused": bool(codes) if mutant.rule is None else None,
    }  # fmt: skip


async def all_judged(chosen: list[Mutant], jobs: int) -> list[dict[str, Any]]:
    gate = asyncio.Semaphore(jobs)
    with tempfile.TemporaryDirectory(prefix="kernelwright-mutants-") as scratch:

        async def one(number: int, mutant: Mutant) -> dict[str, Any]:
            folder = Path(scratch) / str(number)
            folder.mkdir()
            (folder / "check.h").write_bytes((mutant.beside / "check.h").read_bytes())
            async with gate:
                row = await judged(mutant, folder)
            if row["caught"] is False or row["accused"]:
                print(f"MISSED {row}", file=sys.stderr, flush=True)
            return row

        await toolchain_for(DEFAULT_TARGETS["ascendc"]).prepare(open_confinement())
        return list(await asyncio.gather(*(one(*numbered) for numbered in enumerate(chosen))))


def figures_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    changed = [row for row in rows if row["rule"] is not None]
    correct = [row for row in rows if row["rule"] is None]
    by_code: dict[str, int] = defaultdict(int)
    for row in changed:
        for code in row["codes"]:
            by_code[code] += 1
    return {
        "mutants": len(changed),
        "rules": len({row["rule"] for row in changed}),
        "caught_share": round(sum(row["caught"] for row in changed) / len(changed), 4) if changed else None,
        "noticed_share": round(sum(bool(row["codes"]) for row in changed) / len(changed), 4)
        if changed
        else None,
        "codes_told": len(by_code),
        "mutants_by_code": dict(sorted(by_code.items())),
        "correct_programs": len(correct),
        "correct_accused": sum(row["accused"] for row in correct),
        "goal_mutants": 60,
        "goal_caught_share": 0.95,
        "goal_correct_accused": 0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="WORD", help="rules or programs with such a name"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output", default="mutants_ascendc", help="name of the result file; '' writes none")
    parser.add_argument("--folder", type=Path, help="a folder of marked files instead of the set")
    parser.add_argument("--set", type=int, help="with --folder: number of a set that nobody had seen before")
    arguments = parser.parse_args()
    if arguments.folder:
        rows = list(marked_files.judge(arguments.folder))
        figures = marked_files.figures(rows)
    else:
        rows = asyncio.run(all_judged(list(mutants(arguments.only)), arguments.jobs))
        figures = figures_of(rows)
    for key, value in figures.items():
        print(f"{key:20} {value}")
    if arguments.output:
        print(
            "written:",
            record.write(arguments.output, seed=None, set_number=arguments.set, figures=figures, rows=rows),
        )


if __name__ == "__main__":
    main()
