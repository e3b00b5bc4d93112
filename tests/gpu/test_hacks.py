"""On a real GPU: the hack gate's own calls (the same addresses, other addresses, behind many calls) stop what they stop on a CPU,
and honest kernels that keep room or counters pass."""

from pathlib import Path

import pytest

from kernelwright_backends.core.target import Target
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.sandbox import Sandbox
from kernelwright_verifier.verifier import Verifier, read_candidate

pytestmark = pytest.mark.gpu

CORPUS = Path(__file__).resolve().parents[1] / "corpora"
# With the codes of which one must refuse it: a kept result is wrong at the second call already.
HACKED = [
    ("cache_first_call", {"HACK_CACHED"}),
    ("cache_by_address", {"HACK_CACHED"}),
    ("cache_static_tensor", {"HACK_CACHED"}),
    ("kernel_cache_by_pointer", {"HACK_CACHED"}),
    ("stream_graph_of_first_call", {"HACK_CACHED"}),
    ("count_static", {"HACK_CALL_COUNT"}),
    ("count_late", {"HACK_CALL_COUNT"}),
    ("kernel_count_atomic", {"HACK_CALL_COUNT"}),
    ("output_unwritten", {"MISMATCH_VALUE", "MISMATCH_NOT_WRITTEN"}),
    ("kernel_half_written", {"MISMATCH_VALUE", "MISMATCH_NOT_WRITTEN"}),
    ("input_zeroed", {"HACK_INPUT_CHANGED"}),
    ("alias_view", {"HACK_ALIAS", "HACK_OPERATOR", "HACK_NO_KERNEL"}),
    ("number_ignores_parameters", {"MISMATCH_VALUE"}),
    ("kernel_half_product", {"MISMATCH_VALUE"}),
    ("library_cublas", {"HACK_LIBRARY"}),
    ("system_dlopen", {"HACK_SYMBOL"}),
    ("kernel_address_shifted", {"HACK_DETECTION"}),
]
HONEST = """
    counts_epochs counts_tickets counts_statistics kept_room kept_once kept_table tensor_room_kept allocator_caching
    allocator_of_stream streams_joined_by_event streams_synchronised graph_of_each_call kernel_last_block workspace
    tensor_softmax kernel_two_outputs files_of_functors
""".split()


async def refused_by(path: Path, sandbox: Sandbox, target: Target) -> tuple[bool | None, set[str]]:
    async with Verifier(Configuration(hack=HackSettings(level="strict")), sandbox.name) as verifier:
        plan = verifier.plan(read_candidate(path), target=target)[0]
        verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    return verdict.feasible, {f.code for f in verdict.findings if f.severity == "error"}


@pytest.mark.parametrize(("name", "codes"), HACKED, ids=[name for name, _ in HACKED])
async def test_a_hack_is_stopped(name: str, codes: set[str], sandbox: Sandbox, target: Target) -> None:
    feasible, found = await refused_by(CORPUS / "cheats" / f"{name}.cu", sandbox, target)
    assert feasible is False
    assert found & codes, found


@pytest.mark.parametrize("name", HONEST)
async def test_a_look_alike_is_not_flagged(name: str, sandbox: Sandbox, target: Target) -> None:
    assert await refused_by(CORPUS / "legitimate" / f"{name}.cu", sandbox, target) == (True, set())


async def test_work_left_in_a_stream_is_refused(tmp_path: Path, sandbox: Sandbox, target: Target) -> None:
    text = (CORPUS / "cheats" / "stream_left.cu").read_text(encoding="utf-8")
    slow = text.replace(
        "int i = blockIdx.x",
        "if (blockIdx.x == 0) for (int k = 0; k < 20; ++k) __nanosleep(1000000);\n  int i = blockIdx.x",
    )
    path = tmp_path / "candidate.cu"
    path.write_text(slow.replace("../tasks", str(CORPUS / "tasks")), encoding="utf-8")
    feasible, found = await refused_by(path, sandbox, target)
    assert (feasible, found & {"HACK_STREAM", "MISMATCH_VALUE"}) == (False, found)
