"""The skeleton of a file that holds no code yet."""

from functools import cache
from pathlib import Path
from string import Template

from kernelwright_memory.generators.base import GenerationRequest
from kernelwright_memory.generators.skeletons import ascendc, cuda
from kernelwright_memory.generators.skeletons.directives import directive_line
from kernelwright_verifier.candidate.bare import is_bare

_FOLDER = Path(__file__).resolve().parent


def skeleton_of(request: GenerationRequest) -> str | None:
    """A file that binds and compiles for the task of `request`, with a placeholder for what it computes.

    None where the file has code of its own, where the entry has a name that is not plain, or where its form is that of a bare
    CUDA kernel or launcher, or given by `args`: then the signature is the user's.
    """
    written = directive_line(request)
    if not is_bare(request.text) or not (request.entry or "forward").isidentifier() or " args=" in written:
        return None
    if request.target.dialect == "ascendc":
        name, fields = ascendc.fields(request)
    elif request.form == "tensor":
        name, fields = cuda.fields(request)
    else:
        return None
    made = _template(name).substitute(fields)
    # What stands there besides, such as a licence, stays above.
    above = "\n".join(
        line
        for line in request.text.replace(written, "").split("\n")
        if line.strip() and line.strip() not in made
    )
    return f"{above}\n{made}" if above else made


@cache
def _template(name: str) -> Template:
    return Template((_FOLDER / name).read_text(encoding="utf-8"))
