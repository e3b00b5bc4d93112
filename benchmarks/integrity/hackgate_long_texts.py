"""What the hack gate's static part costs on texts that nobody writes by hand: as much as is read of one thing over and over.

    python benchmarks/integrity/hackgate_long_texts.py [--only WORD] [--bytes 480000] [-o FILE.json]

For each text the record holds the milliseconds of the processor that the index took (the syntax tree and what is read off it,
which editors and gate share) and the checks of the text took, so that other work on the machine does not count, and why the
text was left unread where it was.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.hack_corpus import CORPUS

from kernelwright_verifier.gates.hack import look_at_text
from kernelwright_verifier.gates.hack.places import forget_texts
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.task.task import Candidate
from kernelwright_verifier.verifier import Verifier

KERNEL = """
__global__ void k(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }
void run(const float* x, float* y, int n) { k<<<1, n>>>(x, y, n); }
"""
REPEATS = 5


def repeated(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece))


def nested(opening: str, middle: str, closing: str) -> Callable[[int], str]:
    def made(size: int) -> str:
        count = size // (len(opening) + len(closing))
        return opening * count + middle + closing * count

    return made


TEXTS: dict[str, Callable[[int], str]] = {
    "kernels": lambda size: "".join(KERNEL.replace("run", f"run{i}").replace("k(", f"k{i}(").replace("k<", f"k{i}<") for i in range(size // len(KERNEL))),
    "one long line of a kernel": lambda size: "__global__ void k(float* y) {" + "y[0] = y[1] + 2.f; " * (size // 19) + "}\n",
    "double quotes": repeated('"'),
    "single quotes": repeated("'"),
    "quotes of both kinds": repeated("\"'"),
    "raw strings unclosed": repeated('R"a('),
    "backslashes": repeated("\\"),
    "quoted backslashes": repeated('"\\'),
    "strcmp": repeated("strcmp "),
    "strcmp of": repeated("strcmp( "),
    "__FILE__": repeated("__FILE__ "),
    "__FILE__ in brackets": repeated("__FILE__)"),
    "const __FILE__": repeated("const __FILE"),
    "const": repeated("const "),
    "__DATE__": repeated("__DATE__ )"),
    "__PRETTY_FUNCTION__": repeated("__PRETTY_FUNCTION__)"),
    "hashes, one a line": repeated("#\n"),
    "hashes": repeated("#"),
    "defines": repeated("#define A(x) x ## x\n"),
    "conditions opened": repeated("#if A\n"),
    "conditions": repeated("#ifdef A\n#else\n#endif\n"),
    "includes": repeated('#include "a.h"\n'),
    "launches nested": repeated("k<<<"),
    "launches": repeated("k<<<1, 1>>>(x);\n"),
    "grids nested": nested("k<<<(", "1", ")>>>"),
    "comment unclosed": repeated("/* "),
    "comments unclosed after code": repeated("x /*"),
    "line comments": repeated("// a\n"),
    "templates deep": nested("a<", "b", ">"),
    "templates opened": repeated("a<"),
    "template parameters": repeated("template <typename T> "),
    "shifts": repeated("a >> 30 "),
    "shifts left": repeated("<<"),
    "shifts of casts": repeated("(size_t)x >> 32 "),
    "casts": repeated("(size_t)("),
    "casts, C++": repeated("reinterpret_cast<size_t>("),
    "held casts": repeated("a = (size_t)x;"),
    "pointers": repeated("*"),
    "pointer declarations": repeated("int* "),
    "pointer parameters": repeated("float* x, "),
    "parentheses opened": repeated("("),
    "parentheses nested": nested("(", "1", ")"),
    "braces opened": repeated("{"),
    "braces nested": nested("{", "", "}"),
    "brackets opened": repeated("["),
    "blanks": repeated(" "),
    "empty lines": repeated("\n"),
    "carriage returns": repeated("\r"),
    "one identifier": repeated("a"),
    "underscores": repeated("_"),
    "digits": repeated("1"),
    "digits and apostrophes": repeated("1'"),
    "hexadecimal": repeated("0x1"),
    "commas": repeated(","),
    "lambdas": repeated("[&] {"),
    "ampersands": repeated("&"),
    "conditional expressions": repeated("a ? b : "),
    "sums": repeated("a + "),
    "members": repeated("a."),
    "scopes": repeated("a::"),
    "attributes": repeated("__attribute__(("),
    "sections": repeated("[[ gnu :: "),
    "namespaces": repeated("namespace a { "),
    "mov.": repeated("mov.u32 "),
    "kw": repeated("kw_a "),
    "engines": repeated("a_engine "),
    "operator new": repeated("void* operator new(size_t n);\n"),
    "clocks": repeated("void a() { clock(); }\n"),
    "directives": repeated("// kernelwright: task=a.py entry=k\n"),
    "allowances": repeated("// kernelwright: allow=HACK_SYMBOL a\n"),
    "has_include": repeated("__has_include(<"),
    "nul": repeated("\0"),
    "letters beyond ASCII": repeated("\u00e9"),
}  # fmt: skip


def row_of(verifier: Verifier, name: str, text: str) -> dict[str, Any]:
    path = CORPUS / "legitimate" / "plain_relu.cu"
    candidate = Candidate(path=path, name=path.name, text=text)
    started = time.process_time()
    plans = verifier.plan(candidate)
    index_ms = 1e3 * (time.process_time() - started)
    costs, findings = list[float](), 0
    for _ in range(REPEATS):
        forget_texts()
        started = time.process_time()
        findings = sum(len(look_at_text(plan)) for plan in plans)
        costs.append(1e3 * (time.process_time() - started))
    return {
        "name": name,
        "bytes": len(text.encode()),
        "unread": plans[0].index.unread,
        "index_ms": round(index_ms, 2),
        "checks_ms": round(statistics.median(costs), 2),
        "findings": findings,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--bytes", type=int, default=480_000)
    parser.add_argument("-o", "--output", type=Path, default=record.RESULTS / "hackgate_long_texts.json")
    arguments = parser.parse_args()
    directive = '// kernelwright: task=../tasks/relu.py entry=run args="x, out, x.numel()"\n'
    verifier = Verifier(Configuration(hack=HackSettings(level="strict")))
    row_of(verifier, "", directive + KERNEL)  # what is made once
    rows = []
    for name, made in TEXTS.items():
        if arguments.only in name:
            text = directive + KERNEL + made(arguments.bytes)
            rows.append(row_of(verifier, name, text))
            print(json.dumps(rows[-1]), flush=True)
    figures = {
        "texts": len(rows),
        "unread_count": sum(bool(row["unread"]) for row in rows),
        "checks_max_ms": max(row["checks_ms"] for row in rows),
        "checks_median_ms": statistics.median(row["checks_ms"] for row in rows),
        "checks_over_50_ms_count": sum(row["checks_ms"] > 50 for row in rows),
        "goal_checks_ms": 50,
        "index_max_ms": max(row["index_ms"] for row in rows),
        "index_median_ms": statistics.median(row["index_ms"] for row in rows),
    }
    print(json.dumps(figures, indent=1))
    print(record.write("hackgate_long_texts", seed=None, figures=figures, rows=rows, file=arguments.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
