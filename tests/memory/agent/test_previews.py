"""The process that looks into the memory for a hover."""

import subprocess

from kernelwright_memory.agent.previews import COMMAND


def test_it_begins_and_ends_without_a_word_in_the_editors_log() -> None:
    done = subprocess.run(COMMAND, input=b"", capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
