"""What a linked object shows to others. Kernelwright's own link exports the entry alone; these objects are linked without it."""

import subprocess
from pathlib import Path

import pytest

from kernelwright_backends.host.elf import read_symbols
from kernelwright_backends.interfaces.build import Symbols
from kernelwright_verifier.gates.hack import look_at_object
from kernelwright_verifier.verifier import Verifier, read_candidate

CASE = Path(__file__).resolve().parent / "cases" / "TASK_NOT_FOUND" / "honest_path.cu"
ENTRY = 'extern "C" void kernelwright_entry() {}\n'


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (ENTRY + 'extern "C" int cudaEventElapsedTime() { return 0; }\n', ["HACK_EXPORT"]),
        (ENTRY + "static int hidden() { return 0; }\nnamespace { int unnamed() { return hidden(); } }\n", []),
        (ENTRY + "#include <vector>\nvoid* made() __attribute__((visibility(\"hidden\")));\nvoid* made() { return new std::vector<int>(3); }\n", []),
    ],
    ids=["a function of the runtime", "own functions", "templates of the library"],
)  # fmt: skip
def test_only_entries_are_seen_from_outside(text: str, codes: list[str], tmp_path: Path) -> None:
    source, made = tmp_path / "object.cpp", tmp_path / "object.so"
    source.write_text(text)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", made, source], check=True)
    elf = read_symbols(made.read_bytes())
    (plan,) = Verifier().plan(read_candidate(CASE))
    found = look_at_object(plan.strictly(), Symbols(undefined=elf.undefined, exported=elf.exported))
    assert [f.code for f in found] == codes
    assert all(f.data["moment"] == "object" for f in found)
