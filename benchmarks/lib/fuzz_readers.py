"""The readers that `fuzz_containment.py` tries, what it makes for each, and the process that tries a batch.

python benchmarks/lib/fuzz_readers.py READER BATCH SEED CASES SKIP FOLDER
"""

import base64
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

HANG_S = 2.0
_SHOWN = 3000

Files = dict[str, bytes]
Read = Callable[[Path], object]


class Reader(NamedTuple):
    """One door of the program, and documents for it."""

    documents: Callable[[], "st.SearchStrategy[Files]"]
    prepare: Callable[[Path], tuple[Read, tuple[type[BaseException], ...]]]
    """imports what is needed; the reading, and the errors that it documents"""


# ---- documents -------------------------------------------------------------------------------------------------

_NUMBERS = st.sampled_from(
    ["0", "-1", "1e999", "-1e999", "NaN", "Infinity", "9" * 25, "9" * 5000, "1" * 400 + ".5", "1e-400", "0x10", "1_000", "2**31",
     "18446744073709551616", "-9223372036854775809", "0.1", "٣"]
)  # fmt: skip
_STRINGS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "\x00", "\ud800", "\u202e", "../../x", "/etc/passwd", "~/.bashrc", "/dev/zero", "a" * 70_000, "\x1b[2J", "file:///x",
         "${HOME}", "$(HOME)", "%s%n", "\\", '"', "'", "\U000e0041", "{}", "]" * 200, "con", ".", "..", "a\nb", "\u2028", "-B/tmp"]
    ),
)  # fmt: skip


def _plain(leaves: "st.SearchStrategy[Any]") -> "st.SearchStrategy[Any]":
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_STRINGS, inner, max_size=4),
        max_leaves=12,
    )


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | _STRINGS
_DATA = _plain(_LEAVES)


def _nest(draw: Any) -> str:
    opening, closing = draw(st.sampled_from([("[", "]"), ('{"a":', "}"), ("(", ")"), ("${", "}"), ("$(a ", ")"), ("if(", ")\nendif()"), ("{", "}"), ("a.", ""), ("-", ""), ("not ", ""), ("[[", "]]")]))  # fmt: skip
    depth = draw(st.sampled_from([3, 70, 1000, 20_000, 200_000]))
    return str(
        opening * depth
        + draw(st.sampled_from(["", "1", '"x"']))
        + closing * draw(st.sampled_from([0, depth]))
    )


def _noise(draw: Any) -> str:
    return str(draw(st.one_of(_STRINGS, _NUMBERS, st.binary(max_size=30).map(lambda b: b.decode("latin-1")))))


@st.composite
def _mutated(draw: Any, valid: tuple[str, ...], words: tuple[str, ...]) -> str:
    """A text of the format, or nearly."""
    kind = draw(
        st.sampled_from(["valid", "cut", "spliced", "spliced", "soup", "soup", "nested", "repeated", "noise"])
    )
    text = draw(st.sampled_from(valid))
    at = draw(st.integers(0, len(text)))
    if kind == "valid":
        return text
    if kind == "cut":
        return text[:at]
    if kind == "nested":
        return text[:at] + _nest(draw) + draw(st.sampled_from(["", text[at:]]))
    if kind == "repeated":
        piece = draw(st.sampled_from([*words, text[at : at + 30], text]))
        return (piece + draw(st.sampled_from(["", "\n", " "]))) * draw(st.sampled_from([50, 2000, 20_000]))
    if kind == "soup":
        parts = draw(
            st.lists(
                st.one_of(st.sampled_from(words), st.sampled_from(words), _NUMBERS, _STRINGS), max_size=40
            )
        )
        return draw(st.sampled_from(["", " ", "\n"])).join(parts)
    if kind == "noise":
        return _noise(draw)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        width = draw(st.integers(0, 20))
        put = draw(st.one_of(st.sampled_from(words), st.just(_noise(draw))))
        text = text[:at] + put + text[at + width :]
    return text


def _encoded(text: str) -> bytes:
    return text[: 2 << 20].encode("utf-8", "surrogatepass")


def texts(
    name: str, valid: tuple[str, ...], words: tuple[str, ...], **beside: str
) -> "st.SearchStrategy[Files]":
    """One file of such text, others beside it as they are."""
    others = {other.replace("__", "."): text.encode() for other, text in beside.items()}
    return _mutated(valid, words).map(lambda text: {**others, name: _encoded(text)})


@st.composite
def _changed(draw: Any, valid: Any) -> Any:
    """Plain data of the format with some of its members replaced, removed or added."""
    data = json.loads(json.dumps(valid))
    for _ in range(draw(st.integers(1, 3))):
        at = data
        while True:
            if isinstance(at, dict) and at:
                key = draw(st.sampled_from(sorted(at)))
            elif isinstance(at, list) and at:
                key = draw(st.integers(0, len(at) - 1))
            else:
                break
            below = at[key]
            if isinstance(below, dict | list) and below and draw(st.booleans()):
                at = below
                continue
            change = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
            if change == "replace":
                at[key] = draw(_DATA)
            elif change == "remove":
                del at[key]
            elif isinstance(at, dict):
                at[draw(_STRINGS)] = draw(_DATA)
            break
    return data


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=True)


_JSON_WORDS = (
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"schema"',
    '"schema": 1',
    "null",
    "true",
    '"',
    "\\u0000",
    "\\ud800",
    '"a"',
)


def json_files(
    name: str, valid: tuple[Any, ...], finish: Callable[[Any], Any] = lambda data: data
) -> "st.SearchStrategy[Files]":
    """One file of JSON. `finish` makes again what a forger would make again: its hashes."""
    spelt = tuple(_dumped(v) for v in valid)
    return st.one_of(
        st.sampled_from(valid).flatmap(_changed).map(lambda data: {name: _encoded(_dumped(finish(data)))}),
        texts(name, spelt, _JSON_WORDS),
    )


# ---- what is read ----------------------------------------------------------------------------------------------

_TASK = "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
_SOURCE = (
    "__global__ void k(float* x, int n) { x[0] = n; }\nvoid run(float* x, int n) { k<<<1, 1>>>(x, n); }\n"
)


def _verdict() -> dict[str, Any]:
    from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict

    gates = tuple(GateResult.of(name, (), 0.1) for name in GATES)
    verdict = Verdict(
        file="k.cu", dialect="cuda", entry="run", target="cuda:sm_90@cpu", feasible=True, gates=gates, seed=1
    )
    return dict(json.loads(verdict.model_dump_json(by_alias=True)))


def _subject() -> dict[str, Any]:
    return {
        "file": "/k.cu", "entry": "run", "target": "cuda:sm_90@cpu", "chip": "h200", "candidate": "a", "toolchain": {},
        "verifier": {"version": "0", "sources": "0"}, "settings": {}, "options": {}, "seed": "fresh", "confined": True,
    }  # fmt: skip


def _record() -> dict[str, Any]:
    from kernelwright_verifier.results.fingerprint import VerdictInputs
    from kernelwright_verifier.results.record import Record
    from kernelwright_verifier.results.verdict import Verdict

    made = Record.of(VerdictInputs.model_validate(_subject()), Verdict.model_validate(_verdict()))
    return dict(json.loads(made.written()))


def _hashed(data: Any) -> Any:
    from kernelwright_verifier.results.fingerprint import content_hash

    if not isinstance(data, dict):
        return data
    rest = {name: value for name, value in data.items() if name != "digest"}
    try:
        return {**rest, "digest": content_hash(rest)}
    except (ValueError, TypeError):
        return data


def _proof() -> dict[str, Any]:
    from kernelwright_backends.core.target import Target
    from kernelwright_memory.bank.proof import Proof
    from kernelwright_verifier.project.config import Configuration
    from kernelwright_verifier.results.verdict import Verdict
    from kernelwright_verifier.task.task import Task

    task = Task(path=Path("/nowhere/k.py"), text=_TASK)
    made = Proof.of(
        Path("/nowhere/k.cu"), _SOURCE, "run", Target.parse("cuda:sm_90@cpu"), task, Configuration(),
        Verdict.model_validate(_verdict()),
    )  # fmt: skip
    return {**json.loads(made.written()[1]), "headers": {"h.cuh": "#define A 1\n"}}


def _experience() -> dict[str, Any]:
    from kernelwright_memory.bank.experience import Experience, Origin

    made = Experience.of(
        kind="trace", dialect="cuda", title="t", text=_SOURCE, card="c", parameters={"block": 128}, feasible=True,
        latency_us=1.0, task_hash="t", origin=Origin(source="run", date="2026-01-01T00:00:00+00:00"),
    )  # fmt: skip
    return made.model_dump(mode="json")


def _reward() -> dict[str, Any]:
    return {
        "schema": 1, "id": "r", "run": "r", "step": 0, "stage": "draft", "task": "t", "dialect": "cuda", "experience": "e",
        "role": "context", "policy": "p", "propensity": 1.0, "feasible": True, "reward": 1.0, "date": "2026",
    }  # fmt: skip


def _line(data: Any) -> Any:
    """A line of an export, its id made again."""
    from kernelwright_memory.bank.experience import Experience
    from kernelwright_verifier.results.fingerprint import content_hash

    try:
        if "experience" in data:
            made = Experience.model_validate(data["experience"])
            data["experience"]["id"] = made.content_id
        elif "record" in data:
            data["record"] = (
                _dumped(data["record"]) if not isinstance(data["record"], str) else data["record"]
            )
            data["id"] = content_hash(json.loads(data["record"]))
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    return data


def _records(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.untrusted.reading import read_bounded
    from kernelwright_verifier.results.record import Record, RecordError

    return lambda f: Record.read(read_bounded(f / "record.json")), (RecordError, OSError)


def _cached(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.storage.sealing import sealed
    from kernelwright_verifier.results.cache import VerdictCache

    def read(f: Path) -> object:
        # Sealed, as if the key were known: what then?
        entry = f / "cache" / "0.json"
        entry.parent.mkdir(exist_ok=True)
        content = (f / "record.json").read_bytes()
        entry.write_bytes(sealed("verdict", content) if content.rstrip().endswith(b"}") else content)
        entry.chmod(0o600)
        cache = VerdictCache(f / "cache")
        return [list(cache.records()), cache.read(entry)]

    return read, ()


def _imports(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_memory.bank.importing import as_claims, read_import
    from kernelwright_memory.bank.store import StoreError

    return lambda f: as_claims(read_import(f / "memory.jsonl"), "2026"), (StoreError,)


def _proofs(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.untrusted.plain_json import read_json
    from kernelwright_memory.bank.proof import Proof, ProofError
    from kernelwright_verifier.results.fingerprint import content_hash

    def read(f: Path) -> object:
        content = (f / "proof.json").read_text("utf-8", "surrogatepass")
        try:
            id = content_hash(read_json(content))
        except ValueError:
            id = "0"
        (f / "unpacked").mkdir(exist_ok=True)
        return Proof.read(id, content).unpack(f / "unpacked")

    return read, (ProofError, OSError)


def _settings(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_verifier.project.config import load_configuration

    return load_configuration, ()


def _sidecars(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_verifier.task.sidecar import read_sidecar

    return lambda f: read_sidecar(f / "k.py"), ()


def _plans(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.core.registry import index_of
    from kernelwright_backends.untrusted.reading import read_text_bounded
    from kernelwright_verifier.task.plan import make_plans
    from kernelwright_verifier.task.task import Candidate

    def read(f: Path) -> object:
        text = read_text_bounded(f / "k.cu")
        return make_plans(Candidate(path=f / "k.cu", text=text, name="k.cu"), index_of("cuda", text))

    return read, (UnicodeDecodeError,)


def _expressions(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_verifier.task.expression import ExpressionError, evaluate, parse, parse_list

    def read(f: Path) -> object:
        text = (f / "expression").read_text("utf-8", "surrogatepass")
        parse_list(text)
        return evaluate(parse(text), {"x": 5, "n": 1 << 40, "f": 0.5, "t": (1, 2)})

    return read, (ExpressionError,)


def _builds(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_verifier.build_systems import of_build, run_words

    return lambda f: (of_build(f / "src" / "k.cu"), run_words(f / "src" / "k.cu")), ()


def _trust(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.storage.folders import configuration_folder
    from kernelwright_verifier.project.trust import TrustError, is_trusted, trusted_folders

    def read(f: Path) -> object:
        place = configuration_folder() / "trusted_folders.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((f / "trusted_folders.json").read_bytes())
        place.chmod(0o600)
        is_trusted(f)
        return trusted_folders()

    return read, (TrustError,)


def _responses(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_memory.generators.llm.response_cache import ResponseCache

    def read(f: Path) -> object:
        key = ResponseCache.key(["q"])
        place = f / "responses" / key[:2] / f"{key}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((f / "response.json").read_bytes())
        return ResponseCache(f / "responses").find(key)

    return read, ()


def _replies(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_verifier.reference.replies import NoAnswer, SaidInputs, end_bytes, read_reply

    def read(f: Path) -> object:
        answer = read_reply((f / "kind").read_text(), (f / "reply").read_bytes())
        return end_bytes(answer) if isinstance(answer, SaidInputs) else answer

    return read, (NoAnswer,)


def _artefacts(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.ascendc.operator_bundle.sections import read_bundle
    from kernelwright_backends.interfaces.operator_bundle import BundleError

    return lambda f: read_bundle((f / "a.py").read_text("utf-8", "replace")), (BundleError,)


def _candidates(folder: Path) -> tuple[Read, tuple[type[BaseException], ...]]:
    from kernelwright_backends.display.visible import visible, visible_json, visible_line
    from kernelwright_verifier.gates.hack.hidden import added, reaching

    def read(f: Path) -> object:
        text = (f / "k.cu").read_text("utf-8", "surrogatepass")
        assert visible_line(text).isprintable() or not visible_line(text).isascii() or "\t" in text
        json.loads(visible_json(json.dumps([text], ensure_ascii=False)))
        return [added(_SOURCE, text), list(reaching(text)), visible(text)]

    return read, ()


_CMAKE = (
    "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CXX CUDA)\nset(A a b)\nadd_subdirectory(src)\n"
    "add_executable(k src/k.cu)\ntarget_include_directories(k PRIVATE include ${A})\ntarget_compile_definitions(k PRIVATE N=4)\n"
    "foreach(i RANGE 3)\n  list(APPEND A ${i})\nendforeach()\nif(A STREQUAL b)\n  set(B 1)\nendif()\nadd_test(NAME t COMMAND k 1 2)\n",
    "macro(m a)\n set(${a} 1 PARENT_SCOPE)\nendmacro()\nm(x)\nfunction(f)\n f()\nendfunction()\nf()\nconfigure_file(a.in a.h)\n"
    "file(GLOB S src/*.cu)\nadd_library(l ${S})\nstring(REGEX REPLACE \"a+\" \"b\" C \"aaa\")\nmath(EXPR D \"1+2\")\n",
)  # fmt: skip
_CMAKE_WORDS = (
    "set(A \"${A}${A}\")\n", "set(", "(", ")", "${A}", "${${A}}", "$<IF:1,a,b>", "foreach(i RANGE 1000000000)\n", "endforeach()\n",
    "while(1)\n", "endwhile()\n", "if(", "endif()\n", "else()\n", "include(x)\n", "add_subdirectory(..)\n", "add_subdirectory(.)\n",
    "macro(m)\nm()\nendmacro()\nm()\n", "string(REPEAT a 1000000000 A)\n", "file(GLOB_RECURSE S /*)\n", "list(APPEND A ${A} ${A})\n",
    "math(EXPR A \"1 << 62\")\n", "\"", "#[[", "]]", "\\", ";", "AND", "NOT", "MATCHES \"(a+)+$\"", "configure_file(../x ../y)\n",
    "file(WRITE ../x y)\n", "execute_process(COMMAND touch /tmp/x)\n", "target_include_directories(k PRIVATE /etc ../..)\n",
)  # fmt: skip
_MAKE = (
    "NVCC = nvcc\nFLAGS := -Iinclude -DN=4 -std=c++17\nSRC = $(wildcard src/*.cu)\nall: k\nk: src/k.cu\n\t$(NVCC) $(FLAGS) -o $@ $<\n"
    "run: k\n\t./k 1 2\ninclude config.mk\n",
    "define F\nx $(1)\nendef\n$(foreach a,1 2 3,$(call F,$(a)))\nifeq ($(A),b)\nB = 1\nelse\nB = 2\nendif\n%.o: %.cu\n\tnvcc -c $< -o $@\n",
)  # fmt: skip
_MAKE_WORDS = (
    "A = $(A)$(A)\n", "A := $(A)$(A)\n", "A += $(A)\n", "$(shell touch /tmp/x)", "$(foreach a,$(A),$(foreach b,$(A),x))", "$(eval $(A))\n",
    "include /dev/zero\n", "include Makefile\n", "-include *\n", "$(wildcard /*/*/*)", "$(call F,$(call F,x))", "define F\n", "endef\n",
    "ifeq (", "endif\n", "$(", "${", ")", "\\\n", "\t", ":", "$$", "%", "$(subst a,aa,$(A))", "$(patsubst %,%%,$(A))", "$(word 999999999,x)",
    "$(if $(A),$(B))", "k: src/k.cu\n\tnvcc -I/etc -include /etc/passwd $<\n", "vpath %.cu /\n", "override ", "export ", "#",
)  # fmt: skip
_SETUP = (
    "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\nimport os\nhere = os.path.dirname(__file__)\n"
    "flags = ['-O3'] + ['-DN=%d' % 4]\nfor i in range(3):\n    flags.append(f'-DA{i}')\n"
    "setup(ext_modules=[CUDAExtension('k', sources=['src/k.cu'], include_dirs=[os.path.join(here, 'include')], "
    "extra_compile_args={'nvcc': flags})])\n",
)  # fmt: skip
_SETUP_WORDS = (
    "a = a + a\n", "a = 'x' * 10**9\n", "a = [0] * 10**9\n", "a = 10**10**10\n", "a = list(range(10**12))\n", "for a in range(10**12):\n    pass\n",
    "a = 'a'.replace('a', 'b' * 10**8)\n", "a = '%1000000000d' % 1\n", "a = f'{1:>1000000000}'\n", "a <<= 10**9\n", "import os\n", "open('/tmp/x', 'w')\n",
    "__import__('os').system('touch /tmp/x')\n", "a = [", "]", "(", ")", "lambda: ", "def f():\n    return f()\nf()\n", "while True:\n    pass\n",
    "a = {**a}\n", "glob.glob('/**', recursive=True)\n", "a = a,\n", "flags += flags\n", "if ", "else:\n", "\\", "'", "    ", "*", "setup(",
)  # fmt: skip
_COMMANDS = [
    {"directory": "src", "file": "k.cu", "command": "nvcc -Iinclude -DN=4 -std=c++17 -c k.cu -o k.o"},
    {
        "directory": "/x",
        "file": "/x/k.cu",
        "arguments": ["nvcc", "-isystem", "/etc", "-include", "/etc/passwd", "k.cu"],
    },
]
_TOML = (
    'target = "cuda:sm_90@cpu"\ntargets = ["cuda:sm_90@gpu"]\n[reference]\ninterpreter = "x"\n[compile]\ninclude = ["a"]\ndefine = ["N=4"]\n'
    'flags = ["-O1"]\nstd = "c++17"\n[hack]\nlevel = "strict"\nallow = ["cub"]\n[limits]\ntime_s = 5\nmemory_mb = 100\njobs = 1\n'
    '[agent]\nsteps = 3\nbudget_usd = 0.5\n[findings]\nignore = ["PERF_HALF2"]\n[[task]]\nfiles = "*.cu"\ntask = "k.py"\nsize = "N=4"\n',
)  # fmt: skip
_TOML_WORDS = (
    "[compile]\n", "[[task]]\n", "[", "]", "{", "}", "=", ".", '"', "'''", '"""', "a = 1\n", "a.b.c = 1\n", "include = ", "time_s = ", "inf", "nan",
    "1979-05-27", "0x", "true", "target = ", '"\\u0000"', "[a.b]\n", "task = 1\n", "[task]\n", "jobs = -1\n", "small = {N = 1}\n", "unknown = 1\n",
)  # fmt: skip
_SIDECAR = ('small = { N = 1024 }\nshapes = [{ N = 1000 }]\n[requires]\nx = "0 < x < 1"\n',)
_SIDECAR_WORDS = (
    "small = ",
    "shapes = ",
    "[requires]\n",
    "{ N = 1 }",
    'x = "0 < x"\n',
    "[",
    "]",
    "{",
    "}",
    "=",
    '"',
    "N",
    "inf",
    "1e400",
    "\n",
)
_DIRECTIVES = (
    '// kernelwright: task=k.py entry=run args="x, out, x.shape[0]" grid="(n + 255) // 256" block="256" smem="0" size="N=4" target=cuda:h200@cpu\n'
    + _SOURCE,
    "// kernelwright: entry=k \\\n//  args=\"x, n\"\n" + _SOURCE + "// kernelwright: allow=PERF_HALF2 reason\n",
)  # fmt: skip
_DIRECTIVE_WORDS = (
    "// kernelwright: ", "task=", "task=/dev/zero", "task=../../x.py", "entry=", "entry=run", 'args="', '"', "size=", 'size="N=1e9"', "grid=", "=", " ",
    "\\\n// ", "allow=", "target=", "workspace(", "inout(x)", "as(int32, x)", "out0", "x.shape[0]", "unknown=1 ", "\n", "/*", "*/", "__global__", "<<<", ">>>",
)  # fmt: skip
_EXPRESSIONS = (
    "(x + 255) // 256",
    "min(x, n) * 2 if x > 1 else 0",
    "x ** 2 % 7",
    "max(1, abs(-x)), ceil_div(n, 4)",
    "t[0] + t[-1]",
)
_EXPRESSION_WORDS = (
    "x", "n", "f", "t", "+", "-", "*", "/", "//", "%", "**", "(", ")", ",", "<", "==", "and", "not ", "min(", "max(", "abs(", "ceil_div(", "[0]", ".shape",
    ".numel()", "2**2**2**30", "1 << 9", "10**10**10", "-", "lambda: 1", "__import__('os')", "0", "1e308", "9" * 4000, "workspace(", "as(int32, ",
)  # fmt: skip
_ARTEFACTS = (
    'host_tiling_src = """\nint a;\n"""\nkernel_src = """\n__global__ void k() {}\n"""\nproject_json_src = """[{"op": "K"}]"""\n',
)
_ARTEFACT_WORDS = ('"""', "kernel_src", " = ", "project_json_src", "[", "]", "{", "}", "```", "## ", "\n", "model_src", "python_bind_src", "host_operator_src")  # fmt: skip
_CANDIDATES = (
    _SOURCE,
    "// \u202ecomment\n" + _SOURCE,
    "int \u0441ount;\n" + _SOURCE,
    'const char* s = "\u2066";\n',
)
_CANDIDATE_WORDS = (
    "\u202e",
    "\u2069",
    "\u200b",
    "\U000e0041",
    "\u0441",
    "\u03b1",
    "//",
    "/*",
    "*/",
    '"',
    'R"x(',
    "\\\n",
    "\r",
    "\ufeff",
    "int ",
    "\x1b",
)


_TENSOR = {"name": "x", "dtype": "float32", "shape": [4, 2], "strides": [2, 1], "offset": 256}
_TRIAL = {
    "tensors": {"x": _TENSOR},
    "scalars": {"n": 4},
    "expected": [
        {
            "tensor": {**_TENSOR, "dtype": "float64"},
            "dtype": "float32",
            "reduction": 1,
            "rms": 1.0,
            "rms_error": 0.0,
            "max_error": 0.0,
        }
    ],
    "attempt": "as drawn",
    "precision": "float64",
    "input_rms": 1.0,
}
_SPEC = {name: value for name, value in _TENSOR.items() if name != "offset"}
_ARGUMENT = {"name": "x", "kind": "tensor", "tensor": _SPEC}
_REPLIES: dict[str, Any] = {
    "describe": {
        "forward": [_ARGUMENT], "outputs": [_SPEC], "constants": {"N": 4}, "sizes": {"N": 4},
        "trace": {"values": {"x": _SPEC, "%0": _SPEC}, "operators": [{"name": "relu", "inputs": ["x"], "outputs": ["%0"]}], "outputs": ["%0"]},
    },
    "inputs": {"tensors": {"x": _TENSOR}},
    "trial": _TRIAL,
    "screen": {
        **_TRIAL, "forward": ["x"], "depends": True, "impulses": 1, "families": ["a"], "fixed": [], "used": {"x": 1},
        "weak": [{"what": "constant", "name": "x", "everywhere": True}],
    },
}  # fmt: skip
_FAULT = {"code": "TASK_INVALID", "message": "m", "line": 1, "column": 1, "end_line": 1, "end_column": 2}


def _replies_of(kind: str) -> "st.SearchStrategy[Files]":
    """Lines of a worker that was asked for this; the kind lies beside."""
    lines = json_files(
        "reply", ({"result": _REPLIES[kind], "error": None}, {"result": None, "error": _FAULT})
    )
    return lines.map(lambda files: {**files, "kind": kind.encode()})


READERS: dict[str, Reader] = {
    "artefacts": Reader(lambda: texts("a.py", _ARTEFACTS, _ARTEFACT_WORDS), _artefacts),
    "cached verdicts": Reader(lambda: json_files("record.json", (_record(),), _hashed), _cached),
    "candidates": Reader(lambda: texts("k.cu", _CANDIDATES, _CANDIDATE_WORDS), _candidates),
    "cmake": Reader(lambda: texts("CMakeLists.txt", _CMAKE, _CMAKE_WORDS), _builds),
    "compile commands": Reader(lambda: json_files("compile_commands.json", (_COMMANDS,)), _builds),
    "directives": Reader(lambda: texts("k.cu", _DIRECTIVES, _DIRECTIVE_WORDS), _plans),
    "expressions": Reader(lambda: texts("expression", _EXPRESSIONS, _EXPRESSION_WORDS), _expressions),
    "imports": Reader(
        lambda: json_files(
            "memory.jsonl",
            ({"schema": 1, "experience": _experience()}, {"schema": 1, "reward": _reward()}, {"schema": 1, "id": "x", "record": _proof()}),
            _line,
        ),
        _imports,
    ),
    "makefiles": Reader(lambda: texts("Makefile", _MAKE, _MAKE_WORDS), _builds),
    "proofs": Reader(lambda: json_files("proof.json", (_proof(),)), _proofs),
    "records": Reader(lambda: json_files("record.json", (_record(),), _hashed), _records),
    "replies": Reader(lambda: st.one_of(*(_replies_of(kind) for kind in _REPLIES)), _replies),
    "responses": Reader(
        lambda: json_files("response.json", ({"text": "x", "tokens_in": 1, "tokens_out": 1, "cost_usd": 0.1},)), _responses
    ),
    "settings": Reader(lambda: texts("kernelwright.toml", _TOML, _TOML_WORDS), _settings),
    "setup": Reader(lambda: texts("setup.py", _SETUP, _SETUP_WORDS), _builds),
    "sidecars": Reader(lambda: texts("k.toml", _SIDECAR, _SIDECAR_WORDS), _sidecars),
    "trusted folders": Reader(lambda: json_files("trusted_folders.json", ({"schema": 1, "folders": ["/a", "/b"]},)), _trust),
}  # fmt: skip


# ---- one batch -------------------------------------------------------------------------------------------------

_WRITES = {
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.mkdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
}
_STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect"}


class Ear:
    """Hears what this process writes outside of some folders, and what it starts."""

    def __init__(self, *inside: Path) -> None:
        self.heard: list[str] = []
        self.listening = False
        self._inside = tuple(os.path.realpath(folder) for folder in inside)
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.listening:
            return
        if event in _STARTS:
            self.heard.append(f"{event} {arguments[:2]!r}"[:200])
        elif event in _WRITES:
            # Of a link, the place where it is made.
            places = (
                arguments[:2]
                if event == "os.rename"
                else arguments[1:2]
                if event in ("os.link", "os.symlink")
                else arguments[:1]
            )
            self._note(event, places)
        elif event == "open":
            path, mode, flags = arguments
            writes = (
                any(sign in mode for sign in "wax+")
                if isinstance(mode, str)
                else bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            )
            if writes:
                self._note(event, (path,))

    def _note(self, event: str, places: tuple[Any, ...]) -> None:
        for place in places:
            if isinstance(place, str | bytes | os.PathLike):
                real = os.path.realpath(os.fsdecode(place))
                if (
                    not any(real == folder or real.startswith(folder + os.sep) for folder in self._inside)
                    and real != "/dev/null"
                ):
                    self.heard.append(f"{event} {real}"[:200])


def _put(folder: Path, files: Files) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "k.cu").write_text(_SOURCE)
    (folder / ".git").mkdir()
    (folder / "include").mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)


def run(reader: str, batch: int, seed: int, cases: int, skip: int, folder: Path) -> None:
    """Try a batch and report each case: before it begins, and what went wrong with it."""
    for name in ("CACHE", "DATA", "CONFIG"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    read, documented = READERS[reader].prepare(folder)
    tempfile.gettempdir()  # Python tries once where it may write
    ear = Ear(folder)
    number = 0
    report = (folder / "report.jsonl").open("a", encoding="utf-8", buffering=1)

    def tell(**what: Any) -> None:
        report.write(json.dumps(what) + "\n")

    @seeded(seed * 1_000_003 + batch)
    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(READERS[reader].documents())
    def each(files: Files) -> None:
        nonlocal number
        case, number = number, number + 1
        if case < skip or case >= cases:
            return
        shown = base64.b64encode(b"\0".join(files.values())[:_SHOWN]).decode()
        tell(case=case, input=shown)
        place = folder / f"case{case}"
        place.mkdir()
        _put(place, files)
        ear.heard.clear()
        ear.listening = True
        began = time.process_time()
        try:
            read(place)
        except documented:
            pass
        except BaseException as error:
            ear.listening = False
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {str(error)[:150]} ({Path(where.filename).name}:{where.lineno})"
            tell(case=case, kind="traceback", said=said, input=shown)
        ear.listening = False
        took_s = time.process_time() - began
        if took_s > HANG_S:
            tell(case=case, kind="hang", said=f"{took_s:.1f} s", input=shown)
        for said in dict.fromkeys(ear.heard):
            tell(case=case, kind="write outside", said=said, input=shown)
        tell(case=case, done=True)

    each()
    tell(case=number - 1, end=min(number, cases))


if __name__ == "__main__":
    run(sys.argv[1], *map(int, sys.argv[2:6]), Path(sys.argv[6]))
