"""A record as one page of HTML that needs nothing else: no script, no image, no address. Everything in it is escaped, the time
line is drawn in it, and the page itself forbids the browser to load anything.
"""

from collections.abc import Iterable
from html import escape

from kernelwright_server.reports.mismatch import mismatch_text, mismatches
from kernelwright_server.reports.outcome import outcome_words
from kernelwright_server.reports.page import page
from kernelwright_server.reports.record import Section, sections
from kernelwright_server.reports.timeline import timeline_picture
from kernelwright_verifier.results.record import Record

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.4rem; margin-bottom: .4rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
.gates span { display: inline-block; margin: 0 .5rem .3rem 0; padding: .1rem .7rem; border: 1px solid; border-radius: 1rem; }
.gates .skipped { opacity: .55; }
table { border-collapse: collapse; width: 100%; } div { overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #e2e5e9; }
td { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; } td:first-child, td.short { white-space: nowrap; }
td.command { font-family: ui-monospace, monospace; font-size: .92em; } tr:last-child td { border-bottom: 0; }
.picture svg { width: 100%; height: auto; }
pre { background: #f5f6f8; padding: .8rem; overflow-x: auto; } .yes { color: #116329; } .no { color: #a40e26; } .open { color: #7d5200; }
@media (prefers-color-scheme: dark) { body { background: #14171b; color: #e4e7eb; } pre { background: #1d2228; }
th, td { border-color: #333a43; } .yes { color: #57ab5a; } .no { color: #f47067; }
.open { color: #daaa3f; } }
"""
_CLASSES = {"correct": "yes", "safe": "open", "refused": "no", "not judged": "open"}


def html_page(records: Iterable[Record], source: str | None = None) -> str:
    """All records on one page; `source` as of `sections`."""
    parts = [_record(record, source) for record in records]
    return page("Kernelwright verdict", _STYLE, "\n<hr>\n".join(parts))


def _record(record: Record, source: str | None) -> str:
    verdict = record.verdict
    word, style = outcome_words(verdict), _CLASSES[verdict.outcome]
    title = f"{verdict.file} {verdict.entry or ''}".strip()
    lines = [f'<h1>{escape(title)}: <span class="{style}">{word}</span></h1>']
    gates = "".join(
        f'<span class="{_WORDS.get(g.status, g.status)}">{g.gate} {g.status}</span>' for g in verdict.gates
    )
    lines.append(f'<div class="gates">{gates}</div>')
    lines += [_section(section) for section in sections(record, source) if section.rows]
    picture = timeline_picture(verdict)
    if picture is not None:
        lines.append(f'<h2>Estimated time line</h2>\n<div class="picture">{picture}</div>')
    for finding in mismatches(verdict):
        lines.append(
            f"<h2>Around the worst element</h2>\n<pre>{escape(mismatch_text(finding, verdict))}</pre>"
        )
    if verdict.log.strip():
        lines.append(f"<h2>What the candidate printed</h2>\n<pre>{escape(verdict.log)}</pre>")
    return "\n".join(lines)


def _section(section: Section) -> str:
    head = (
        "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in section.columns) + "</tr>\n"
        if section.columns
        else ""
    )
    rows = "\n".join(f"<tr>{''.join(map(_cell, row, _named(section, row)))}</tr>" for row in section.rows)
    return f"<h2>{escape(section.title)}</h2>\n<div><table>\n{head}{rows}\n</table></div>"


# How a word looks that says how something went.
_WORDS = {"passed": "yes", "failed": "no", "error": "no", "warning": "open"}
_LONGEST_SHORT = 24  # characters that stay on one line


def _named(section: Section, row: tuple[str, ...]) -> tuple[str, ...]:
    """What each cell is about: its column, or the row's name."""
    return section.columns or (row[0],) * len(row)


def _cell(text: str, about: str) -> str:
    styles = ["short"] if len(text) <= _LONGEST_SHORT else []
    styles += ["command"] if about == "reproduce" and text != about else []
    styles += [_WORDS[text]] if about in ("status", "severity") and text in _WORDS else []
    return f'<td class="{" ".join(styles)}">{escape(text)}</td>' if styles else f"<td>{escape(text)}</td>"
