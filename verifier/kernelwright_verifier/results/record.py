"""A verdict with all its inputs, and a content hash over both, so that a later change is noticed.

The digest says that a record is whole. It says nothing of who wrote it: what comes from elsewhere is a claim, and the cache
believes only what carries this user's seal besides.
"""

import json
import platform
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field, ValidationError

from kernelwright_backends.core.finding import Severity
from kernelwright_backends.core.model import Model
from kernelwright_backends.untrusted.plain_json import JsonError, read_json
from kernelwright_verifier.results.fingerprint import VerdictInputs, content_hash
from kernelwright_verifier.results.verdict import GATES, Verdict


class RecordError(ValueError):
    """A record that is not what it says it is; the message says what is wrong with it, in one line."""


class Record(Model):
    """One verdict, and the inputs that it was obtained on. The digest covers all other fields."""

    model_config = Model.model_config | {"serialize_by_alias": True}

    schema_version: Literal[1] = Field(1, alias="schema", validation_alias="schema")
    key: str = Field(description="of the inputs")
    subject: VerdictInputs = Field(description="what the verdict depends on")
    versions: dict[str, str]
    verified: str = Field(description="ISO 8601, UTC")
    verdict: Verdict
    digest: str = Field(description="SHA-256 of all other fields")

    @classmethod
    def of(cls, inputs: VerdictInputs, verdict: Verdict) -> "Record":
        """Of a verdict that was just obtained."""
        date = verdict.verified or now()
        undigested = cls(
            key=inputs.key,
            subject=inputs,
            versions={
                "kernelwright": inputs.verifier["version"],
                "python": platform.python_version(),
                "system": platform.platform(),
                **{f"toolchain {name}": what for name, what in inputs.toolchain.items()},
                **{f"reference {name}": what for name, what in inputs.interpreter.items()},
            },
            verified=date,
            verdict=verdict.model_copy(update={"verified": date, "cached": False}),
            digest="",
        )
        # What is written is what is read again: JSON has no tuples and no other floats than its own.
        plain = json.loads(undigested.model_dump_json(by_alias=True))
        return cls.model_validate({**plain, "digest": _digest(plain)})

    @classmethod
    def read(cls, content: bytes, key: str | None = None) -> "Record":
        """Read a record and hold it to its digest, its key and the rules of verdicts.

        Args:
            key: of the inputs that it must be of.

        Raises:
            RecordError: it is damaged, forged, of another schema or of other inputs.
        """
        try:
            plain = read_json(content)
        except JsonError as error:
            raise RecordError(
                "it is not JSON" if str(error) == "no JSON" else f"it cannot be parsed: {error}"
            ) from None
        if not isinstance(plain, dict) or plain.get("schema") != 1:
            raise RecordError("it is not a record of schema 1")
        # Of a file that was copied from the cache.
        plain.pop("seal", None)
        if plain.get("digest") != _digest(plain):
            raise RecordError("its digest does not match its content")
        try:
            record = cls.model_validate(plain)
        except ValidationError as error:
            first = error.errors()[0]
            raise RecordError(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from None
        if record.key != record.subject.key or (key is not None and record.key != key):
            raise RecordError("its key does not match its inputs")
        problem = _broken_rule(record.verdict)
        if problem is not None:
            raise RecordError(problem)
        return record

    def written(self) -> bytes:
        return (json.dumps(json.loads(self.model_dump_json(by_alias=True)), sort_keys=True) + "\n").encode()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _digest(plain: dict[str, Any]) -> str:
    return content_hash({name: value for name, value in plain.items() if name != "digest"})


def _broken_rule(verdict: Verdict) -> str | None:
    """What no verdict of ours can say; None where all is well."""
    if tuple(gate.gate for gate in verdict.gates) != GATES:
        return "it does not list the four gates in order"
    for gate in verdict.gates:
        has_error = any(f.severity is Severity.ERROR for f in gate.findings)
        if has_error != (gate.status == "failed") and gate.status != "error":
            return f"the status of the {gate.gate} gate ({gate.status}) contradicts its findings"
    failed = any(gate.status == "failed" for gate in verdict.gates[:3])
    if (verdict.feasible is False) != failed:
        return "its feasibility contradicts its gates"
    if verdict.feasible and verdict.gates[2].status != "passed":
        return "it is feasible although the correctness gate has not passed"
    return None
