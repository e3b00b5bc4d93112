"""How experiences, events and records stand in rows: of the tables, and of an export."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kernelwright_memory.bank.experience import Experience, Origin
from kernelwright_memory.bank.reward import Reward

SCHEMA = 1


def replay_order(row: Mapping[str, Any]) -> tuple[str, str, int, str, int]:
    """The order in which events count: that of their dates; within a step, that of roles and slots."""
    return (row["date"], row["run"], row["step"], row["role"], row["slot"])


# ---- export ------------------------------------------------------------------------------------------------


def write_lines(
    experiences: Iterable[Experience], rewards: Iterable[Mapping[str, Any]], records: Mapping[str, str]
) -> Iterator[str]:
    """The memory as JSON lines, experiences first. Embeddings are left out: they are made again."""
    for experience in experiences:
        yield json.dumps(
            {"schema": SCHEMA, "experience": experience.model_dump(mode="json")}, ensure_ascii=False
        )
    for row in rewards:
        event = {name: value for name, value in row.items() if name != "written_us"}
        yield json.dumps({"schema": SCHEMA, "reward": event}, ensure_ascii=False)
    for id, record in sorted(records.items()):
        yield json.dumps({"schema": SCHEMA, "record": record, "id": id}, ensure_ascii=False)


# ---- rows --------------------------------------------------------------------------------------------------


def experience_of(row: Mapping[str, Any]) -> Experience:
    fields = {name: row[name] for name in _PLAIN_FIELDS}
    fields["parameters"] = json.loads(row["parameters"])
    fields["origin"] = json.loads(row["origin"])
    return Experience(**fields)


def reference_of(row: Mapping[str, Any]) -> Experience:
    fields: dict[str, Any] = {name: row.get(name) for name in _PLAIN_FIELDS}
    fields["title"] = fields["text"] = ""
    fields["parameters"] = json.loads(row["parameters"])
    fields["origin"] = Origin.model_construct(**json.loads(row["origin"]))
    return Experience.model_construct(**fields)


_PLAIN_FIELDS = (
    "id", "kind", "dialect", "title", "text", "card", "family", "dtype", "architecture", "bottleneck",
    "diagnosis", "feasible", "latency_us", "latency_source", "task_hash", "parent", "fingerprint",
)  # fmt: skip
STORED = (*_PLAIN_FIELDS, "parameters", "origin")
COMPARED = tuple(
    name for name in (*STORED, "embedding", "embedding_version") if name not in ("title", "text")
)


def experience_row(experience: Experience, embedding: bytes, version: str, now_us: int) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(experience, name) for name in _PLAIN_FIELDS}
    row["schema"] = SCHEMA
    row["parameters"] = json.dumps(experience.parameters, sort_keys=True)
    row["origin"] = experience.origin.model_dump_json()
    row["embedding"] = embedding
    row["embedding_version"] = version
    row["written_us"] = now_us
    return row


def schema_of(name: str) -> Any:
    import pyarrow

    # Without the key declared, two processes that merge the same new id store it twice.
    key = pyarrow.field(
        "id", pyarrow.utf8(), nullable=False, metadata={"lance-schema:unenforced-primary-key": "true"}
    )
    text, number, integer, boolean = pyarrow.utf8(), pyarrow.float64(), pyarrow.int64(), pyarrow.bool_()
    if name == "experiences":
        special = {"feasible": boolean, "latency_us": number}
        fields = [pyarrow.field(field, special.get(field, text)) for field in _PLAIN_FIELDS if field != "id"]
        fields += [("schema", integer), ("parameters", text), ("origin", text)]
        # Binary, not a vector column: LanceDB insists on one length, and embeddings of other models have
        # others.
        fields += [("embedding", pyarrow.binary()), ("embedding_version", text), ("written_us", integer)]
    elif name == "records":
        fields = [("schema", integer), ("record", text), ("written_us", integer)]
    else:
        types = {int: integer, float: number, bool: boolean}
        fields = []
        for field, info in Reward.model_fields.items():
            if field == "id":
                continue
            kinds = [kind for kind in types if info.annotation in (kind, kind | None)]
            fields.append(
                (
                    info.alias or field,
                    integer if info.alias == "schema" else types[kinds[0]] if kinds else text,
                )
            )
        fields.append(("written_us", integer))
    return pyarrow.schema([key, *fields])
