"""nvcc's own words, as recorded from nvcc 13.0, become findings at the place that is meant."""

from pathlib import Path

import pytest

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.registry import index_of
from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import Texts, nvcc_findings, plain_name, resources_of
from kernelwright_backends.cuda.nvcc.nvcc_entry_stub import STUB_PATH

RECORDED = Path(__file__).with_name("recorded")
NAMES = {
    "_Z3bigPf": "big(float*)",
    "_Z7outsidef": "outside(float)",
    "_Z6scaledIfEvPKT_PS0_ii": "void scaled<float>(float const*, float*, int, int)",
    "_Z5heavyPKfPfi": "heavy(float const*, float*, int)",
}


def texts_of(name: str, entry: str | None = None) -> Texts:
    content = (RECORDED / f"{name}.cu").read_bytes()
    index = index_of("cuda", content.decode())
    return Texts(Path(f"/files/{name}.cu"), content, index, index.find(entry) if entry else None)


def said(name: str) -> list[Finding]:
    output = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    return nvcc_findings(output, texts_of(name), lambda symbol: NAMES.get(symbol, symbol))


def meant(name: str, found: Finding) -> str:
    """The text that the finding's range covers."""
    line = (RECORDED / f"{name}.cu").read_text(encoding="utf-8").splitlines()[found.line - 1]
    return line[found.column - 1 : found.end_column - 1]


def test_errors_stand_at_the_word_that_is_meant() -> None:
    found = said("bad")
    assert [(f.code, f.line, meant("bad", f)) for f in found] == [
        ("COMPILE_ERROR", 4, "two"),
        ("COMPILE_ERROR", 7, "missing"),
        ("COMPILE_ERROR", 8, "foo"),
        ("COMPILE_ERROR", 9, "undeclared_thing"),
        ("COMPILE_ERROR", 12, "4"),
        ("COMPILE_ERROR", 12, "vector"),
        ("COMPILE_ERROR", 12, "int"),
        ("COMPILE_ERROR", 12, "v"),
    ]
    assert {f.data["compiler"] for f in found} == {"nvcc"}


def test_macros_comments_and_letters_beyond_ascii_do_not_move_the_place() -> None:
    error, warning = said("warn")
    assert (error.code, error.line, meant("warn", error)) == ("COMPILE_ERROR", 3, "missing")
    assert (warning.code, warning.data["number"], warning.line) == ("COMPILE_WARNING", "940-D", 7)


def test_what_two_compilers_say_of_one_line_is_said_once() -> None:
    found = said("ok")
    assert [(f.code, f.data.get("number"), meant("ok", f)) for f in found] == [
        ("COMPILE_WARNING", "940-D", "}"),
        ("COMPILE_WARNING", "177-D", "count"),
        ("COMPILE_WARNING", "177-D", "unused"),
        ("COMPILE_WARNING", "177-D", "other"),
    ]


def test_operators_of_pytorch_are_refused_where_they_are_called() -> None:
    found = said("op")
    assert {f.code for f in found} == {"HACK_OPERATOR"}
    assert [(f.line, f.message.split(" is ", 1)[0]) for f in found] == [
        (7, "Tensor +"),
        (7, "torch::relu"),
        (7, "Tensor.sum"),
    ]


def test_what_the_assembler_refuses_stands_at_the_kernel() -> None:
    [found] = said("big")
    assert (found.code, found.line, meant("big", found)) == ("COMPILE_ERROR", 3, "big")
    assert "uses too much shared data" in found.message and "_Z3big" not in found.message


def test_an_instruction_that_ptx_does_not_have_stands_where_it_is_written() -> None:
    [found] = said("asm")
    assert (found.line, meant("asm", found)) == (2, "bogus")


def test_a_function_that_nobody_defines_stands_at_its_call() -> None:
    [found] = said("bad2")
    assert (found.code, found.line, meant("bad2", found)) == ("COMPILE_LINK", 3, "outside")


def test_an_error_in_the_call_of_the_entry_stands_at_the_parameter() -> None:
    texts = texts_of("spill", "heavy")
    output = f'{STUB_PATH}(5): error: no suitable conversion function from "kw::Argument" to "Odd" exists\n'
    [found] = nvcc_findings(output, texts)
    assert (found.code, found.line, meant("spill", found)) == ("COMPILE_ERROR", 1, "int n")


def test_what_is_said_of_other_peoples_headers_is_no_warning_of_the_user() -> None:
    output = (
        '/usr/include/c++/13/vector(10): warning #177-D: variable "x" was declared but never referenced\n'
    )
    assert nvcc_findings(output, texts_of("ok")) == []


@pytest.mark.parametrize(
    ("name", "kernel", "expected"),
    [
        ("ok", "scaled<float>", {"registers": 10, "shared_bytes": 0, "spill_store_bytes": 0}),
        (
            "spill",
            "heavy",
            {"registers": 32, "shared_bytes": 256, "spill_store_bytes": 2028, "stack_bytes": 1736},
        ),
    ],
)
def test_registers_shared_memory_and_spills_of_each_kernel(
    name: str, kernel: str, expected: dict[str, int]
) -> None:
    output = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    counted = resources_of(output, lambda symbol: NAMES.get(symbol, symbol))
    assert list(counted) == [kernel]
    assert {key: counted[kernel][key] for key in expected} == expected


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("void ns::softmax<float, 256>(float const*, int)", "ns::softmax<float, 256>"),
        ("relu(float const*, float*, int)", "relu"),
        ("void apply<(lambda at /a b.cu:1)>(float*)", "apply<(lambda at /a b.cu:1)>"),
        ("_Z3foov", "_Z3foov"),
    ],
)
def test_the_name_of_a_demangled_signature(signature: str, name: str) -> None:
    assert plain_name(signature) == name
