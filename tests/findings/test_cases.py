"""Every code: a defect that is found at its line, and a correct look-alike that is not accused.

`cases/CODE/` holds files `wrong_*.cu`, whose comments say what is expected, and `honest_*.cu`, which are right and come
near to it. A comment `expect: CODE` speaks of its own line, `expect above: CODE` of the one before (a directive takes no
comment), `expect file: CODE` of the whole file. A task's expectations count for the kernels that name it.
"""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kernelwright_backends.core.catalogue import CATALOGUE
from kernelwright_backends.core.finding import Severity
from kernelwright_verifier.results.verdict import Verdict

Judged = Callable[[Path], Awaitable[Verdict]]

HERE = Path(__file__).resolve().parent
CASES = HERE / "cases"
TESTS = HERE.parent

EXPECT = re.compile(r"(?://|#).*\bexpect(?P<where> above| file)?: (?P<codes>[A-Z_]+(?:, [A-Z_]+)*)")
TASK = re.compile(r"// kernelwright:.*\btask=(\S+)")


def cases(pattern: str) -> list[Path]:
    return sorted(CASES.glob(f"*/{pattern}"))


def name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def expectations(path: Path) -> set[tuple[str, str, int]]:
    """Code, file name and line of what must be found."""
    text = path.read_text(encoding="utf-8")
    expected = set()
    for number, line in enumerate(text.splitlines(), 1):
        match = EXPECT.search(line)
        if match:
            at = {" above": number - 1, " file": 1, None: number}[match["where"]]
            expected |= {(code, path.name, at) for code in match["codes"].split(", ")}
    task = TASK.search(text)
    if task and (path.parent / task[1]).is_file():
        expected |= expectations(path.parent / task[1])
    return expected


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("path", cases("wrong_*.cu"), ids=name)
async def test_a_defect_is_found_at_its_line(path: Path, judged: Judged) -> None:
    expected = expectations(path)
    assert path.parent.name in {code for code, _, _ in expected}
    verdict = await judged(path)
    found = {(f.code, Path(f.path).name, f.line) for f in verdict.findings}
    assert found == expected, [f"{f.path}:{f.line}:{f.column} {f.code} {f.message}" for f in verdict.findings]
    for finding in verdict.gate("hack").findings:
        assert finding.data["moment"] in ("text", "object", "run")
    errors = any(f.severity is Severity.ERROR for f in verdict.findings)
    assert (verdict.feasible is False) == errors


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("path", cases("honest_*.cu"), ids=name)
async def test_a_correct_look_alike_is_not_flagged(path: Path, judged: Judged) -> None:
    verdict = await judged(path)
    assert [f"{f.path}:{f.line}:{f.column} {f.code} {f.message}" for f in verdict.findings] == []
    assert verdict.feasible is True


# Codes whose tests stand elsewhere, because they need more than a file and its verdict.
ELSEWHERE = {
    "BIND_CHIP": "ascendc/test_surroundings.py",
    "HACK_HOST": "hack/test_corpus.py",
    "HACK_UNREAD": "hack/test_corpus.py",
    "HACK_CACHED": "hack/test_corpus.py",
    "HACK_CALL_COUNT": "hack/test_corpus.py",
    "HACK_STREAM": "hack/test_corpus.py",
    "HACK_DETECTION": "hack/test_corpus.py",
    "HACK_EVASION": "hack/test_corpus.py",
    "HACK_HIDDEN": "hostile/test_disguise.py",
    "HACK_UNREADABLE": "hack/test_long_texts.py",
    "HACK_SIZE": "hack/test_full_size.py",
    "HACK_TOO_FAST": "hack/test_full_size.py",
    "HACK_AUDIT": "hack/test_audit.py",
    "COMPILE_TIME": "findings/test_limits.py",
    "COMPILE_MEMORY": "findings/test_limits.py",
    "HACK_EXPORT": "findings/test_exports.py",
    "HACK_REGION": "memory/test_agent.py",
    "ENV_COMPILER": "findings/test_limits.py",
    "ENV_TOOL": "gpu/test_tools.py",
    "COST_PROFILED": "gpu/test_tools.py",
    "ENV_DISK": "evidence/test_loss.py",
    "ENV_KILLED": "findings/test_limits.py",
    "COST_ESTIMATED": "findings/test_latency.py",
    "COST_MEASURED": "gpu/test_run.py",
    "COST_REGRESSION": "unit/test_regression.py",
    "COST_UNSTABLE": "gpu/test_measured.py",
    "MISMATCH_PRECISION": "evidence/test_precision.py",
    "MISMATCH_TARGETS": "cli/test_targets.py",
    "COST_SHARED": "gpu/test_measured.py",
    "COST_REFERENCE": "reference/test_eager.py",
    "COST_OUTSIDE_STREAM": "gpu/test_measured.py",
    "COMPILE_NVCC": "cuda_cost/test_units.py",
    "COST_NOT_TRACED": "findings/test_latency.py",
    "COST_NO_TABLE": "findings/test_latency.py",
    "ENV_CONFIGURATION": "unit/test_configuration.py",
    "ENV_REFERENCE": "reference/test_process.py",
    "ENV_SANDBOX": "findings/test_limits.py",
    "ENV_UNTRUSTED": "lsp/test_trust.py",
    "SIZE_TOO_LARGE": "reference/test_errors.py",
    "RACE_STREAM": "sanitizer/pairs/race_streams_without_event.cu",
    "RACE_ORDER": "sanitizer/pairs/order_lost_update.cu",
    "LAUNCH_SAMPLED": "findings/test_sampling.py",
    "LAUNCH_UNCHECKED": "sanitizer/pairs/unchecked_allocation.cu",
    "MEM_READ_ONLY_LOAD": "sanitizer/pairs/read_only_load_of_own_stores.cu",
}
ELSEWHERE |= {code: "cuda_cost/test_lints.py" for code in CATALOGUE if code.startswith("PERF_")}
ELSEWHERE |= {
    path.name: "ascendc/test_hazards.py" for path in (TESTS / "ascendc" / "cases").iterdir() if path.is_dir()
}
PROGRAMS = TESTS / "cuda" / "kernels"
UNTESTED = {"ENV_INTERNAL": "a fault of Kernelwright; if one is known it is mended, not tested"}


def test_every_code_has_a_defect_and_a_look_alike() -> None:
    """Here, among the small programs of `cuda/kernels` (whose correct half stands for all of their codes), or elsewhere."""
    here = {folder.name for folder in CASES.iterdir() if list(folder.glob("wrong_*.cu"))}
    twins = {folder.name for folder in CASES.iterdir() if list(folder.glob("honest_*.cu"))}
    assert here == twins
    programs = {
        code
        for path in (PROGRAMS / "defects").glob("*.cu")
        for line in path.read_text(encoding="utf-8").splitlines()
        if (match := EXPECT.search(line))
        for code in match["codes"].split(", ")
    }
    missing = set(CATALOGUE) - here - programs - set(ELSEWHERE) - set(UNTESTED)
    assert not missing
    assert not here & set(ELSEWHERE)
    unmentioned = {code: file for code, file in ELSEWHERE.items() if code not in (TESTS / file).read_text()}
    assert not unmentioned
