"""Texts that stay as they are while something else changes what they mean: what was found out of them before is another's."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain
from kernelwright_backends.cuda.syntax import index
from kernelwright_verifier.candidate.includes import Unbounded, included_files
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.results.cache import VerdictCache
from kernelwright_verifier.sandbox import Sandbox
from kernelwright_verifier.verifier import Verifier, read_candidate

TARGET = Target.parse("cuda:sm_90@cpu")
WRONG = "wrong.h"
# Each asks for a file in a way that a reader of the text may overlook; all of them compile.
SPELLINGS = {
    "plain": f'#include "{WRONG}"',
    "behind an identifier that looks like a raw string": (
        f'#define FOOR\nconst char* a = FOOR"(";\n#include "{WRONG}"\nconst char* b = ")";'
    ),
    "behind a character that looks like a string": (
        f'auto a = L\'"\'; const char* b = "/*";\n#include "{WRONG}"\nconst char* c = "*/";'
    ),
    "behind an open quotation": f'#if 0\n\' /*\n#endif\n#include "{WRONG}"\n/* */',
    "behind a raw string with a splice": (f'const char* a = R"x( )\\\nx" /* )x";\n#include "{WRONG}"\n/* */'),
    "with a form feed": f'// .incbin\n#\finclude "{WRONG}"',
    "behind a form feed": f'// .incbin\n\f#include "{WRONG}"',
    "with a vertical tab": f'// #embed\n#\vinclude "{WRONG}"',
    "by a splice with a form feed": f'// #embed\n#inc\\\f\nlude "{WRONG}"',
}
ASKED = {
    "asked for": f'#if __has_include("{WRONG}")\n#define ANSWER 2\n#else\n#define ANSWER 1\n#endif',
    "by a macro": f'#define F "{WRONG}"\n#if __has_include("{WRONG}")\n#include F\n#else\n#define ANSWER 1\n#endif',
    "pasted": (
        f"// .incbin\n#define PASTE(a, b) a##b\n#if PASTE(__has_, include)(\"{WRONG}\")\n"
        "#define ANSWER 2\n#else\n#define ANSWER 1\n#endif"
    ),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_verdict_depends_on_every_file_that_the_text_reads(tmp_path: Path, spelling: str) -> None:
    path, header = tmp_path / "main.cu", tmp_path / WRONG
    path.write_text(spelling)

    def known() -> object:
        try:
            return included_files(path, spelling, ())
        except Unbounded:
            return object()  # never kept

    header.write_text("// right\n")
    before = known()
    header.write_text("// wrong\n")
    assert known() != before


@pytest.mark.parametrize("asking", ASKED.values(), ids=ASKED)
async def test_an_object_is_not_that_of_other_files(tmp_path: Path, sandbox: Sandbox, asking: str) -> None:
    path = tmp_path / "main.cu"
    text = f"{asking}\n__global__ void k() {{}}\nint main() {{ k<<<1, 1>>>(); return ANSWER; }}\n"
    path.write_text(text)

    async def build() -> tuple[bool, bytes]:
        built = await CudaCpuToolchain().build(text, path, index(text.encode()), None, TARGET, sandbox)
        assert built.object is not None, built.findings
        return built.cached, built.object.read_bytes()

    _, before = await build()
    assert (await build())[0], "it is kept as long as nothing changes"
    (tmp_path / WRONG).write_text("#define ANSWER 2\n")
    cached, after = await build()
    assert (cached, after == before) == (False, False)


PROGRAM = """
#include <cstdio>
__global__ void k(int* p) { p[0] = 1; }
int main() {
    int *d, h = 0;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    cudaFree(d);
    char text[200] = "";
    for (const char* name : {".env", ".git/config", "kept/.secret", "mode.txt", "kept/data.txt", "linked.txt"})
        if (FILE* f = fopen(name, "r")) {
            if (fgets(text, 199, f)) printf("%s: %s\\n", name, text);
            fclose(f);
            if (text[0] == 'w') return 1;
        }
    return h != 1;
}
"""
SECRET = "a secret planted by the test"


def project(folder: Path) -> Path:
    for name, text in {
        ".env": SECRET,
        ".git/config": SECRET,
        "kept/.secret": SECRET,
        "kept/data.txt": "data",
        "main.cu": PROGRAM,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "linked.txt").symlink_to("kept/data.txt")
    return folder / "main.cu"


def _appears(folder: Path) -> None:
    (folder / "mode.txt").write_text("wrong")


def _changes(folder: Path) -> None:
    """Of the same size, and with the old time of change."""
    data = folder / "kept" / "data.txt"
    status = data.stat()
    data.write_text("wron")
    os.utime(data, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("change", [_appears, _changes], ids=lambda f: f.__name__)
async def test_what_a_program_reads_decides_with_it(
    tmp_path: Path, sandbox: Sandbox, change: Callable[[Path], None]
) -> None:
    path = project(tmp_path / "project")
    options, cache = VerifyOptions(latency=False), VerdictCache(tmp_path / "verdicts")
    async with Verifier(sandbox=sandbox.name) as verifier:
        plan = verifier.plan(read_candidate(path))[0]
        first = await verifier.verdict(plan, options, cache=cache)
        assert first.gate("correctness").status == "passed", first.findings
        assert (await verifier.verdict(plan, options, cache=cache)).cached, (
            "it is kept as long as nothing changes"
        )
        change(path.parent)
        again = await verifier.verdict(plan, options, cache=cache)
    assert (again.cached, again.gate("correctness").status) == (False, "failed")


async def test_a_program_is_not_shown_what_is_hidden(tmp_path: Path, sandbox: Sandbox) -> None:
    path = project(tmp_path / "project")
    for options in (
        VerifyOptions(latency=False),
        VerifyOptions(latency=False, root=tmp_path / "project"),
    ):
        async with Verifier(sandbox=sandbox.name) as verifier:
            verdict = await verifier.verdict(
                verifier.plan(read_candidate(path))[0], options, ignore_cache=True
            )
        assert "kept/data.txt: data" in verdict.log and "linked.txt: data" in verdict.log
        assert SECRET not in verdict.model_dump_json()
