"""The real toolchain's command lines, and the readers of what its programs print: texts of ours in the documented formats. No
program of CANN and no device takes part."""

import subprocess
import sys
from pathlib import Path

import pytest

from kernelwright_backends.ascendc.npu.cann_diagnostics import compiler_findings, device_findings
from kernelwright_backends.ascendc.npu.commands import (
    build_project,
    compile_file,
    create_project,
    install_project,
    profile,
    profile_kernel,
    soc_name,
)
from kernelwright_backends.ascendc.npu.installation import (
    Cann,
    CannMissing,
    Npu,
    NpuMissing,
    find_cann,
    npu_for,
    read_npu_smi,
)
from kernelwright_backends.ascendc.npu.profile import (
    ProfileError,
    read_basic_info,
    read_op_summary,
    read_pipe_utilization,
)
from kernelwright_backends.core.registry import ToolchainUnavailable, toolchain_for
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import CompileOptions
from kernelwright_backends.interfaces.cost import Bottleneck

B2 = Target.parse("ascendc:910b@npu")
B3 = Target.parse("ascendc:910b3@npu")

SMI = """
+------------------------------------------------------------------------------------------------+
| npu-smi 25.5.1                   Version: 25.5.1                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.1        35                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3370 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Alarm         | 90.0        36                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3370 / 65536         |
+===========================+===============+====================================================+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 0                                                            |
"""


def test_devices_are_read_from_npu_smi() -> None:
    npus = read_npu_smi(SMI)
    assert [(npu.number, npu.name, npu.health, npu.product) for npu in npus] == [
        (0, "910B3", "OK", "910b3"),
        (1, "910B3", "Alarm", "910b3"),
    ]
    assert npu_for(B3, npus).number == 0 and npu_for(B2, npus).number == 0
    assert read_npu_smi("") == ()
    with pytest.raises(
        NpuMissing, match=r"910b4@npu is not available: no such NPU is here \(found: 910B3, 910B3\)"
    ):
        npu_for(Target.parse("ascendc:910b4@npu"), npus)
    with pytest.raises(NpuMissing, match="no device is healthy"):
        npu_for(B3, npus[1:])
    assert Npu(number=0, name="310P3", health="OK").product is None


@pytest.fixture
def cann(tmp_path: Path) -> Cann:
    """A folder as an installation looks."""
    home = tmp_path / "cann-9.1.0"
    for name, folder in (
        ("bisheng", "bin"),
        ("msopgen", "python/site-packages/bin"),
        ("msprof", "tools/profiler/bin"),
    ):
        (home / folder).mkdir(parents=True, exist_ok=True)
        (home / folder / name).write_text("#!/bin/sh\n")
        (home / folder / name).chmod(0o755)
    (home / "ascend_toolkit_install.info").write_text("package_name=toolkit\nversion=9.1.0\n")
    return find_cann({"ASCEND_HOME_PATH": str(home), "PATH": ""})


def test_an_installation_is_found_by_its_folders(cann: Cann, tmp_path: Path) -> None:
    assert cann.version == "9.1.0" and set(cann.programs) == {"bisheng", "msopgen", "msprof"}
    with pytest.raises(CannMissing, match=r"which is not a folder; source set_env\.sh"):
        find_cann({"ASCEND_HOME_PATH": str(tmp_path / "nowhere")})
    with pytest.raises(CannMissing, match="has no msopprof"):
        cann.program("msopprof")


def test_command_lines(cann: Cann) -> None:
    source, output = Path("k.asc"), Path("k.so")
    options = CompileOptions(include=(Path("inc"),), define=("N=4",), flags=("-g",), std="c++20")
    line = compile_file(cann, source, output, B2, options)
    assert line[0].endswith("/bin/bisheng")
    assert {"--npu-arch=dav-2201", "-xasc", "-std=c++20", "-fPIC", "-Iinc", "-DN=4", "-g"} <= set(line)
    assert line[-3:] == ["k.asc", "-o", "k.so"]
    assert soc_name(B2) == "Ascend910B2" and soc_name(B3) == "Ascend910B3"
    line = create_project(cann, Path("add.json"), Path("out"), B3)
    assert line[1:] == ["gen", "-i", "add.json", "-c", "ai_core-Ascend910B3", "-lan", "cpp", "-out", "out"]
    assert build_project(Path("out")) == ["bash", "out/build.sh"]
    assert install_project(Path("o.run"), Path("opp")) == ["bash", "o.run", "--install-path=opp", "--quiet"]
    line = profile(cann, ["python", "run it.py"], Path("prof"))
    assert line[-1] == "--application=python 'run it.py'" and "--output=prof" in line
    line = profile_kernel(cann, ["./demo"], Path("prof"), "add")
    assert line[1:3] == ["op", "--kernel-name=add"] and line[-1] == "./demo"


TEXT = "int a;\nint größe = wrong;\n"
BUILD = """k.asc:2:15: error: use of undeclared identifier 'wrong'
int größe = wrong;
             ^~~~~
k.asc:1:5: warning: unused variable 'a' [-Wunused-variable]
inc/my_op_tiling.h:7:1: fatal error: unknown type name 'Tiling'
ld.lld: error: undefined symbol: helper(int)
[ERROR] The json file is not a valid operator prototype.
CMake Error at cmake/func.cmake:31 (message):
2 errors generated.
"""


def test_what_the_compiler_says_becomes_findings() -> None:
    found = compiler_findings(BUILD, Path("k.asc"), TEXT)
    assert [(f.code, f.line, f.column, f.end_column) for f in found[:2]] == [
        ("COMPILE_ERROR", 2, 13, 18),
        ("COMPILE_WARNING", 1, 5, 6),
    ]
    assert found[1].message == "unused variable 'a'"
    assert [f.code for f in found[2:]] == ["COMPILE_ERROR", "COMPILE_LINK", "COMPILE_ERROR", "COMPILE_ERROR"]
    assert found[2].message == "my_op_tiling.h, line 7: unknown type name 'Tiling'"
    assert found[4].message.startswith("The json file") and "func.cmake, line 31" in found[5].message
    assert compiler_findings("[100%] Built target k\n", Path("k.asc"), TEXT) == []


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        (
            "EZ9999[PID: 1]: The error from device(chipId:0), there is an exception of aivec error, core id is 5, error code = 1\n"
            "  The extend info: errcode:(1, 0, 0) errorStr: VEC instruction error: the ub address out of bounds. fixp_error0 info: 0",
            "MEM_OUT_OF_BOUNDS", "beyond the unified buffer on vector core 5",
        ),
        (
            "there is an fftsplus aicore error exception, core id is 23, error code = 0x800000\n"
            "errorStr: The DDR address of the MTE instruction is out of range.CCU instruction address check error. fixp_error0 info: 0",
            "MEM_OUT_OF_BOUNDS", "beyond global memory on AI core 23",
        ),
        ("errorStr: VEC instruction error: the ub address is not aligned. fixp_error0", "MEM_MISALIGNED", "32 bytes"),
        ("errorStr: Something nobody has seen. subErrType:4", "LAUNCH_ERROR", "Something nobody has seen"),
        ("aclrtSynchronizeStream failed: 507014", "LAUNCH_TIME", "did not end"),
        ("Kernel task happen error, retCode=0x31, [vector core exception].", "LAUNCH_ERROR", "without a reason"),
    ],
)  # fmt: skip
def test_what_the_device_says_becomes_findings(said: str, code: str, words: str) -> None:
    (found,) = device_findings(said, Path("k.asc"), 12)
    assert (found.code, found.line) == (code, 12) and words in found.message
    assert device_findings("all fine\n", Path("k.asc")) == []


SUMMARY = """Device_id,Task ID,Op Name,OP Type,Task Duration(us),Block Num,aiv_time(us),aiv_vec_ratio,aiv_scalar_ratio,aiv_mte2_ratio,aiv_mte3_ratio
0,1,my_add_0,MyAdd,20.0,40,18.0,0.2,0.3,0.9,0.4
0,2,my_add_0,MyAdd,	22.0,40,18.5,0.2,0.3,0.92,0.4
0,3,other,Other,500.0,40,400,0.1,0.1,0.1,0.1
0,4,my_add_0,MyAdd,24.0,40,18.0,0.2,0.3,0.88,N/A
"""


def test_times_are_read_from_op_summary() -> None:
    cost = read_op_summary(SUMMARY, "my_add")
    assert cost.source == "measured" and cost.latency_us == 22.0
    assert (cost.low_us, cost.high_us) == (20.0, 24.0)
    assert cost.bottleneck is Bottleneck.MEMORY_BANDWIDTH_SATURATED
    assert cost.parts["pipe MTE2"] == pytest.approx(0.9 * 22.0) and set(cost.parts) == {
        "pipe V", "pipe S", "pipe MTE2", "pipe MTE3",
    }  # fmt: skip
    with pytest.raises(ProfileError, match="'mul' was not started; there are my_add_0, other"):
        read_op_summary(SUMMARY, "mul")
    with pytest.raises(ProfileError, match="no column 'Task Duration"):
        read_op_summary("Op Name\nmul\n", "mul")


def test_metrics_are_read_core_by_core() -> None:
    header = "block_id,sub_block_id,aic_time(us),aiv_time(us),aiv_vec_ratio,aiv_scalar_ratio,aiv_mte2_ratio\n"
    table = header + "0,vector0,NA,10.5,0.2,0.9,0.3\n1,vector0,NA,12.5,0.3,0.95,0.3\n"
    cost = read_pipe_utilization(table)
    assert cost.latency_us == 12.5 and cost.bottleneck is Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL
    assert read_pipe_utilization(table, 14.0).latency_us == 14.0
    assert read_basic_info("Op Name,Op Type,Task Duration(us),Block Dim\nadd,vector,14.2,40\n") == (
        "add",
        14.2,
    )
    for broken in ("", header, header + "0,vector0,NA,NA,0,0,0\n"):
        with pytest.raises(ProfileError):
            read_pipe_utilization(broken)
    with pytest.raises(ProfileError):
        read_basic_info("Op Name\nadd\n")


def test_doctor_tells_of_cann_and_the_npu() -> None:
    command = [sys.executable, "-m", "kernelwright_server", "doctor"]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    )
    assert "CANN" in answer.stdout and "Ascend NPU" in answer.stdout, answer.stderr


def test_a_target_without_its_device_says_what_is_missing() -> None:
    with pytest.raises(ToolchainUnavailable, match="no such NPU is here"):
        toolchain_for(B3)
