"""kernelwright.toml: every mistake is a finding at its line, and the rest of the file still counts."""

from pathlib import Path

import pytest

from kernelwright_verifier.project.config import load_configuration


def test_nearest_file_upwards_holds(tmp_path: Path) -> None:
    (tmp_path / "kernelwright.toml").write_text('target = "cuda:a100@cpu"\n[limits]\ntime_s = 5\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    configuration, findings = load_configuration(inner / "k.cu")
    assert findings == ()
    assert (configuration.target, configuration.limits.time_s, configuration.folder) == (
        "cuda:a100@cpu",
        5,
        tmp_path,
    )


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("trusted = true\n", 1, "unknown key 'trusted'"),
        ("top = '/'\n", 1, "unknown key 'top'"),
        ("targett = 'x'\n", 1, "unknown key 'targett'"),
        ("[limits]\ntime = 3\n", 2, "unknown key 'limits.time'; expected one of time_s, memory_mb, jobs"),
        ("[limits]\ntime_s = 'long'\n", 2, "limits.time_s"),
        ("[hack]\nlevel = 'lax'\n", 2, "hack.level"),
        ("[limits\n", 1, "line 1"),
        ("[[task]]\nfile = '*.cu'\n", 2, "unknown key 'task.0.file'"),
    ],
)
def test_mistakes_are_findings(tmp_path: Path, text: str, line: int, words: str) -> None:
    (tmp_path / "kernelwright.toml").write_text(text)
    _, findings = load_configuration(tmp_path / "k.cu")
    assert {f.code for f in findings} == {"ENV_CONFIGURATION"}
    assert any(words in f.message and f.line == line for f in findings), findings


def test_the_rest_of_a_wrong_file_counts(tmp_path: Path) -> None:
    (tmp_path / "kernelwright.toml").write_text("nonsense = 1\n[limits]\njobs = 3\n")
    configuration, findings = load_configuration(tmp_path / "k.cu")
    assert len(findings) == 1
    assert configuration.limits.jobs == 3


def test_untrusted_workspaces_name_no_programs(tmp_path: Path) -> None:
    (tmp_path / "kernelwright.toml").write_text(
        'executor = "ray://x"\n[reference]\ninterpreter = "evil"\n[compile]\nflags = ["-fplugin=evil.so"]\n[memory]\nuri = "s3://x"\n'
    )
    untrusted, findings = load_configuration(tmp_path / "k.cu", trusted=False)
    assert [(f.code, f.line) for f in findings] == [("ENV_UNTRUSTED", n) for n in (1, 3, 5, 7)]
    assert untrusted.reference.interpreter is None
    assert untrusted.compile.flags == ()
    assert untrusted.memory.uri is None
    assert untrusted.executor == "local"
