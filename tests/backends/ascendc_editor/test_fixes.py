"""Fixes of the defects that the CPU target finds, at the lines where it finds them."""

from pathlib import Path

import pytest

from kernelwright_backends.ascendc.editor.fixes import fixes_for
from kernelwright_backends.ascendc.syntax import AscendcIndexer
from kernelwright_backends.core.finding import Finding, Severity

CASES = Path(__file__).parents[2] / "corpora" / "defects" / "ascendc"
WRONG = {
    "ATOMIC_LEFT_ON/wrong_left_on.asc": "SetAtomicNone();",
    "COMPARE_256B/wrong_short.asc": "256 / sizeof(",
    "DATACOPY_ALIGN/wrong_rounded_down.asc": "DataCopyPad(",
    "QUE_EMPTY_DEQUE/wrong_no_enque.asc": "in.EnQue(a);\n    a = in.DeQue",
    "QUE_LEAK/wrong_loop_runs_dry.asc": "in.FreeTensor(a);\n    }",
    "QUE_LEAK/wrong_never_freed.asc": "in.FreeTensor(a);\n}",
    "TMP_TOO_SMALL/wrong_reduce.asc": "InitBuffer(scratch, 128)",
}


@pytest.mark.parametrize("case", WRONG)
def test_a_defect_has_its_fix(case: str) -> None:
    text = (CASES / case).read_text(encoding="utf-8")
    code = case.split("/")[0]
    line = next(n for n, words in enumerate(text.split("\n"), 1) if f"expect: {code}" in words)
    message = "take it out first (DeQue); 100 are needed"
    item = Finding(code=code, severity=Severity.ERROR, message=message, path=case, line=line)
    fix = fixes_for(item, AscendcIndexer(text.encode()).syntax)[0]
    fixed = text.encode()
    for edit in sorted(fix.edits, reverse=True):
        fixed = fixed[: edit.start] + edit.text.encode() + fixed[edit.end :]
    assert WRONG[case] in fixed.decode() and WRONG[case] not in text
    assert AscendcIndexer(fixed).index.syntax_errors == ()


def test_a_tensor_freed_in_its_queue_is_taken_out_first() -> None:
    text = (
        "__aicore__ inline void f() {\n    LocalTensor<half> t = through.AllocTensor<half>();\n    DataCopy(t, from, 64);\n"
        "    through.EnQue(t);\n    DataCopy(to, t, 64);\n    through.FreeTensor(t);\n}\n"
    )
    message = "FreeTensor is given a tensor that is still in the queue; take it out with DeQue first"
    item = Finding(code="QUE_STATE", severity=Severity.ERROR, message=message, path="f.asc", line=6)
    ((edit,),) = [fix.edits for fix in fixes_for(item, AscendcIndexer(text.encode()).syntax)]
    assert edit.text == "\n    t = through.DeQue<half>();" and text[: edit.start].endswith("EnQue(t);")


def test_what_is_not_mechanical_has_none() -> None:
    text = "__aicore__ inline void f() { Add(a, b, c, 8); }\n"
    syntax = AscendcIndexer(text.encode()).syntax
    for code in ("RACE_RAW", "DATACOPY_ALIGN", "QUE_LEAK", "TMP_TOO_SMALL", "NO_SUCH"):
        item = Finding(code=code, severity=Severity.ERROR, message="", path="f.asc", line=1, column=30)
        assert fixes_for(item, syntax) == ()
