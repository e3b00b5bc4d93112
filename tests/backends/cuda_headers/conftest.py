"""Small C++ programs against the device-language headers and our torch/extension.h, built with the real g++."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import kernelwright_backends

HERE = Path(__file__).parent
CUDA = Path(kernelwright_backends.__file__).parent / "cuda"
FLAGS = ("-O1", "-mfma", "-mf16c", "-ffp-contract=fast", "-fexpensive-optimizations", "-fno-strict-aliasing")
INCLUDES = ("-isystem", str(CUDA / "cpu" / "include"), "-isystem", str(CUDA / "shim"))
Compile = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def compile_(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """compile_(standard, arguments...), with what stands before every candidate precompiled as it is there."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ on this machine")
    folder = tmp_path_factory.mktemp("prelude")
    preludes: dict[str, Path] = {}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [compiler, *FLAGS, *INCLUDES, *arguments], capture_output=True, text=True, check=False
        )

    def compile_after_prelude(standard: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        if standard not in preludes:
            header = folder / standard / "prelude.h"
            header.parent.mkdir()
            header.write_text("#pragma once\n#include <cuda_runtime.h>\n#include <torch/extension.h>\n")
            answer = call(f"-std={standard}", "-x", "c++-header", str(header), "-o", f"{header}.gch")
            assert answer.returncode == 0, answer.stderr
            preludes[standard] = header
        return call(f"-std={standard}", "-include", str(preludes[standard]), *arguments)

    return compile_after_prelude


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory, compile_: Compile) -> list[str]:
    """The out-of-line part of the headers over a device that is this process's own memory."""
    folder = tmp_path_factory.mktemp("runtime")
    made = []
    for source in (CUDA / "shim" / "kernelwright" / "tensor.cpp", HERE / "programs" / "host_runtime.cpp"):
        target = folder / f"{source.stem}.o"
        answer = compile_("c++17", "-Wall", "-Wextra", "-Werror", "-c", str(source), "-o", str(target))
        assert answer.returncode == 0, answer.stderr
        made.append(str(target))
    return made


@pytest.fixture(scope="session")
def build(
    tmp_path_factory: pytest.TempPathFactory, objects: list[str], compile_: Compile
) -> Callable[..., Path]:
    """build(name or text, standard="c++17") -> the program, built once for each text and standard."""
    folder = tmp_path_factory.mktemp("programs")
    known: dict[tuple[str, str], Path] = {}

    def build_once(source: str, standard: str = "c++17") -> Path:
        text = (HERE / "programs" / source).read_text() if source.endswith(".cpp") else source
        key = (text, standard)
        if key not in known:
            target = folder / f"program{len(known)}"
            file = target.with_suffix(".cpp")
            file.write_text(text)
            answer = compile_(standard, "-Wall", "-Wextra", "-Werror", str(file), *objects, "-o", str(target))
            assert answer.returncode == 0, answer.stderr
            known[key] = target
        return known[key]

    return build_once


@pytest.fixture(scope="session")
def diagnose(tmp_path_factory: pytest.TempPathFactory, compile_: Compile) -> Callable[..., str]:
    """diagnose(text, standard="c++17") -> what the compiler says of it; the file is called user.cu."""
    folder = tmp_path_factory.mktemp("refused")

    def diagnose_text(text: str, standard: str = "c++17") -> str:
        file = folder / "user.cu"
        file.write_text(text)
        return compile_(standard, "-w", "-fsyntax-only", "-x", "c++", str(file)).stderr

    return diagnose_text


@pytest.fixture(scope="session")
def run(build: Callable[..., Path]) -> Callable[..., bytes]:
    def run_program(source: str, standard: str = "c++17", given: bytes = b"") -> bytes:
        answer = subprocess.run(
            [build(source, standard)], input=given, capture_output=True, check=False, timeout=60
        )
        assert answer.returncode == 0, answer.stderr.decode(errors="replace")
        return answer.stdout

    return run_program
