"""Which flags of a user's reach a compiler."""

from pathlib import Path

import pytest

from kernelwright_backends.host.compile_flags import refused_flag

HARMLESS = [
    "-O3", "-Os", "-g", "-gdwarf-4", "-std=c++20", "-Wall -Wextra -Wno-unused-parameter -Werror=format", "-w", "-pthread",
    "-ffast-math -fno-exceptions -fPIC -fopenmp -fmax-errors=3 -ffp-contract=off -fvisibility=hidden", "-march=native -mavx2 -m64",
    "-DN=4 -D M -UM -I include -Iinclude -isystem /usr/include -iquote . -idirafter more", "--param max-inline-insns-auto=9",
    "--use_fast_math -use_fast_math --expt-relaxed-constexpr --extended-lambda -lineinfo -G -rdc=true -maxrregcount=64",
    "-gencode arch=compute_90,code=sm_90 -gencode=arch=compute_80,code=[sm_80,compute_80] -arch=sm_90 -arch sm_90",
    "-Xptxas -v,-O3,-dlcm=ca --ptxas-options=-v -Xcudafe --diag_suppress=177 -diag-suppress=177,20012",
    "-Xcompiler -fPIC,-Wall,-O3 -Xcompiler=-fopenmp --default-stream per-thread --ftz=true -prec-div=false", "-include config.h",
]  # fmt: skip
REFUSED = [
    "-B/tmp", "-fplugin=x", "-fplugin-arg-x=1", "-fpass-plugin=x", "-wrapper sh,-c,true", "-specs=x", "--specs=x", "@flags",
    "-o x", "-ox", "--output=x", "-x c++", "-include /etc/shadow", "-include ../x.h", "-imacros /etc/shadow", "-save-temps",
    "-save-temps=obj", "-dumpdir x", "-dumpbase x", "--sysroot=/x", "-isysroot /x", "-fdump-tree-all", "-fdump-passes",
    "-fprofile-generate", "-fprofile-use=x", "-ftest-coverage", "--coverage", "-MF x", "-MD", "-MMD", "-Wl,-T,x", "-Wa,-o,x",
    "-Wp,-MF,x", "-Xlinker x", "-Xassembler x", "-Xpreprocessor -MF", "-ccbin x", "--compiler-bindir=x", "--options-file x",
    "-optf x", "-Xcompiler -wrapper,x", "-Xcompiler=-fplugin=x", "-Xptxas -o,x", "--keep", "-keep-dir x", "--dryrun", "-run",
    "-fuse-ld=x", "-fmodule-mapper=|x", "-fmodules-ts", "-flto", "-fstack-usage", "-fcallgraph-info", "-fopt-info-all=x",
    "-fsave-optimization-record", "-fdiagnostics-format=sarif-file", "-fdiagnostics-add-output=sarif:file=x", "-mllvm -load=x",
    "-Xclang -load", "-ftime-trace=x", "-fcrash-diagnostics-dir=x", "-fsanitize-blacklist=x", "-fno-sanitize=all", "-E", "-S", "-c",
    "-", "/etc/shadow", "other.cpp", "-L/x", "-lx", "-Rpass=x", "-fauto-profile=x", "-gsplit-dwarf", "-fself-test=x", "-include",
    "-I", "-D", "-Xcompiler", "-fdebug-prefix-map=/a=/b", "-O3\n-wrapper", "-fPIC -wrapper x",
]  # fmt: skip


@pytest.mark.parametrize("flags", HARMLESS)
def test_what_says_how_code_is_made_is_passed_on(flags: str) -> None:
    assert refused_flag(flags.split(), (Path("/project"),)) is None


@pytest.mark.parametrize("flags", REFUSED)
def test_what_might_do_anything_else_is_refused(flags: str) -> None:
    words = [flags] if "\n" in flags else flags.split(" ")
    assert refused_flag(words, (Path("/project"),)) is not None


def test_a_file_is_included_from_the_project_alone(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "config.h").touch()
    (tmp_path / "outside.h").touch()
    (tmp_path / "project" / "link.h").symlink_to(tmp_path / "outside.h")
    folders = (tmp_path / "project",)
    assert refused_flag(("-include", str(tmp_path / "project" / "config.h")), folders) is None
    for outside in ("outside.h", "project/link.h", "project/../outside.h"):
        assert refused_flag(("-include", str(tmp_path / outside)), folders) == "-include"
