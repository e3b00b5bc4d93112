"""The driver's reply as findings at the calls of the source that it names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import START_OF_FILE, Finding, Range, Related, Severity, finding
from kernelwright_backends.host.places import Places
from kernelwright_backends.interfaces.run import Writer


def findings_of(records: Sequence[Mapping[str, Any]], places: Places) -> list[Finding]:
    """One finding for each code and line; what repeats is counted."""
    merged: dict[tuple[str, str, int, str], Finding] = {}
    for record in records:
        made = _finding(record, places)
        other = made.related[0] if made.related else None
        key = (made.code, made.path, made.line, f"{other.path}:{other.line}" if other else "")
        earlier = merged.get(key)
        if earlier is None:
            merged[key] = made
        else:
            count = earlier.data.get("count", 1) + made.data.get("count", 1)
            merged[key] = earlier.model_copy(update={"data": {**earlier.data, "count": count}})
    return list(merged.values())


def writers_of(sites: Sequence[Mapping[str, Any]], places: Places) -> tuple[Writer, ...]:
    """The places that stored output elements, in the order of their numbers."""
    writers = []
    for site in sites:
        path, at = located(site.get("place"), places)
        known = site.get("place") is not None
        writers.append(
            Writer(
                kind=site["kind"],
                path=path if known else "",
                line=at.line if known else 0,
                column=at.column if known else 0,
                kernel=site.get("kernel", ""),
            )
        )
    return tuple(writers)


def located(raw: Sequence[Any] | None, places: Places) -> tuple[str, Range]:
    """The name of the API on the line that the runtime saw; the entry where it saw none."""
    if raw:
        path, line, name = raw
        rewritten = places.files.get(Path(path))
        if rewritten is not None:
            start = rewritten.original_offset(line, 1)
            # What was put before it on the line must not hide the line itself.
            here = rewritten.lines.place(start)[0]
            first = rewritten.lines.offset(line if here != line else here, 1)
            text = rewritten.original[first:].split(b"\n", 1)[0].rstrip()
            at = text.find(name.encode()) if name else -1
            if at >= 0:
                return str(rewritten.path), rewritten.lines.range(first + at, first + at + len(name))
            blank = len(text) - len(text.lstrip())
            return str(rewritten.path), rewritten.lines.range(first + blank, first + len(text))
    return str(places.main), places.entry.name_range if places.entry else START_OF_FILE


def _finding(record: Mapping[str, Any], places: Places) -> Finding:
    path, at = located(record.get("place"), places)
    related = []
    for reported in record["related"]:
        if reported.get("place") is None:
            continue
        other_path, other = located(reported["place"], places)
        related.append(
            Related(message=reported["message"], path=other_path, line=other.line, column=other.column)
        )
    severity = Severity(record["severity"]) if record["severity"] else None
    data: dict[str, Any] = {"count": record["count"]}
    if record["core"] >= 0:
        data["core"] = record["core"]
        data["core_kind"] = "AIC" if record["cube"] else "AIV"
    return finding(
        record["code"], record["message"], path, at, severity=severity, related=tuple(related), data=data
    )
