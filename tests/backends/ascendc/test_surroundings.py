"""What an operator's project says besides its code: the chip that it is built for, the element types of its prototype."""

import json
from pathlib import Path

import pytest

from kernelwright_backends.ascendc.cpu.ascendc_cpu_entry_stub import prelude
from kernelwright_backends.ascendc.operator_project.project import read_project
from kernelwright_backends.ascendc.operator_project.surroundings import built_for
from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Target
from kernelwright_verifier.candidate.whole_text import whole_text
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.task.plan import make_plans
from kernelwright_verifier.verifier import read_candidate

KERNEL = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR n, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    AscendC::GlobalTensor<DTYPE_X> from;
    AscendC::GlobalTensor<DTYPE_N> number;
}
"""


def preset(units: object) -> str:
    return json.dumps({"configurePresets": [{"cacheVariables": {"ASCEND_COMPUTE_UNIT": units}}]})


@pytest.mark.parametrize(
    ("name", "text", "chip"),
    [
        ("CMakePresets.json", preset({"type": "STRING", "value": "ascend910b"}), "910b"),
        ("CMakePresets.json", preset({"type": "STRING", "value": "ascend310p;ascend910b"}), "910b"),
        ("CMakePresets.json", preset("ascend910b3"), "910b3"),
        ("CMakePresets.json", preset({"value": "ascend310b"}), None),
        ("CMakePresets.json", preset(7), None),
        ("CMakePresets.json", "{ no json", None),
        ("CMakePresets.json", "[1, 2]", None),
        ("CMakeLists.txt", 'set(SOC_VERSION "Ascend910B4" CACHE STRING "the chip")\n', "910b4"),
        ("CMakeLists.txt", "# Ascend910B4 is meant\n", None),
        ("run.sh", "SOC_VERSION=Ascend910B1\n", "910b1"),
    ],
)
def test_the_chip_is_what_the_project_is_built_for(
    tmp_path: Path, name: str, text: str, chip: str | None
) -> None:
    path = tmp_path / "op_kernel" / "scale_add.cpp"
    path.parent.mkdir()
    path.write_text(KERNEL)
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    found = built_for(path)
    assert (found.chip if found else None) == chip
    index = index_of("ascendc", KERNEL)
    (plan,) = make_plans(read_candidate(path), index)
    assert plan.target == Target(dialect="ascendc", chip=chip or "910b", where="cpu")
    other = [(Path(f.path).name, f.line) for f in plan.findings if f.code == "BIND_CHIP"]
    assert other == ([(name, 1)] if "310b" in text else [])
    (plan,) = make_plans(read_candidate(path), index, Configuration(target="ascendc:910b2@cpu"))
    assert plan.target.chip == "910b2", "what is asked for wins"


def test_the_prototype_says_element_types_where_no_host_file_does(tmp_path: Path) -> None:
    path = tmp_path / "op_kernel" / "scale_add.cpp"
    path.parent.mkdir()
    path.write_text(KERNEL)
    (tmp_path / ".git").mkdir()
    (tmp_path / "other.json").write_text('{"op": "Other", "output_desc": 3, "input_desc": []}')
    operator = {
        "op": "ScaleAdd",
        "input_desc": [
            {"name": "x", "param_type": "required", "type": ["fp16", "float"]},
            {"name": "n", "param_type": "required", "type": "int32"},
        ],
        "output_desc": [{"name": "y", "param_type": "required", "type": ["fp16", "float"]}],
    }
    (tmp_path / "scale_add.json").write_text(json.dumps([operator]))
    project = read_project(path, KERNEL)
    assert [(p.name, p.is_input, p.types) for p in project.ports] == [
        ("x", True, ("half", "float")),
        ("n", True, ("int32_t",)),
        ("y", False, ("half", "float")),
    ]
    made = prelude(None, KERNEL.encode(), project, "scale_add")
    assert "#define DTYPE_X half" in made and "#define DTYPE_N int32_t" in made


def test_sizes_are_looked_for_in_host_files_and_headers_too(tmp_path: Path) -> None:
    """A tiling function that takes one shape alone says so where the kernel does not."""
    path = tmp_path / "op_kernel" / "scale_add.cpp"
    path.parent.mkdir()
    path.write_text('#include "tile.h"\n' + KERNEL)
    (tmp_path / "op_host").mkdir()
    (tmp_path / "op_host" / "scale_add.cpp").write_text("constexpr uint32_t ROWS = 40961;\n")
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "tile.h").write_text("#define TILE 40963\n")
    (plan,) = make_plans(read_candidate(path), index_of("ascendc", path.read_text()))
    assert {"40961", "40963"} <= set(whole_text(plan).replace(";", " ").split())
