"""What an index of a document holds: kernels, functions, launches, entries."""

from functools import cached_property
from typing import Literal

from pydantic import Field

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Dialect

Form = Literal["tensor", "launcher", "kernel", "ascendc"]

# C spellings of one element type, by the name that a task uses for it (torch's, without the prefix).
ELEMENT_TYPES: dict[str, str] = {
    "float": "float32", "double": "float64",
    "half": "float16", "__half": "float16", "at::Half": "float16", "c10::Half": "float16",
    "__nv_bfloat16": "bfloat16", "nv_bfloat16": "bfloat16", "at::BFloat16": "bfloat16", "c10::BFloat16": "bfloat16",
    "bool": "bool",
    "char": "int8", "signed char": "int8", "int8_t": "int8", "unsigned char": "uint8", "uint8_t": "uint8",
    "short": "int16", "int16_t": "int16", "unsigned short": "uint16", "uint16_t": "uint16",
    "int": "int32", "int32_t": "int32", "unsigned": "uint32", "unsigned int": "uint32", "uint32_t": "uint32",
    "long": "int64", "long int": "int64", "long long": "int64", "int64_t": "int64", "ptrdiff_t": "int64",
    "unsigned long": "uint64", "unsigned long long": "uint64", "uint64_t": "uint64", "size_t": "uint64",
}  # fmt: skip
ELEMENT_SIZE_BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "bool": 1, "int8": 1, "uint8": 1, "int16": 2,
    "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "float8_e4m3fn": 1, "float8_e5m2": 1,
}  # fmt: skip


class Parameter(Model):
    """One parameter of a function, as written."""

    name: str
    type: str = Field(description="the type as spelled, blanks normalised, e.g. 'const float *'")
    range: Range
    pointer: bool = False
    const: bool = Field(False, description="for a pointer: what it points to is const")
    element: str | None = Field(
        None,
        description="'float32', ...; of the pointee for a pointer; 'void'; None where unknown (a template's T)",
    )
    tensor: bool = Field(False, description="torch::Tensor or at::Tensor, by value, reference or optional")
    stream: bool = Field(False, description="cudaStream_t")
    default: str | None = None


class Function(Model):
    """A function definition found in a document."""

    name: str
    qualified_name: str
    kind: Literal["kernel", "device", "host"]
    return_type: str
    template_parameters: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    range: Range = Field(description="the whole definition, template head included")
    name_range: Range
    body_range: Range
    start_byte: int
    end_byte: int
    empty: bool = Field(False, description="the body holds nothing but comments")
    calls: tuple[str, ...] = Field(
        (), description="names called or launched in the body, each once, in order"
    )
    form: Form | None = Field(
        None, description="the form this function has as an entry, None if it cannot be one"
    )


class Kernel(Function):
    """A device function that is launched: `__global__`."""

    kind: Literal["kernel"] = "kernel"


class Launch(Model):
    """`kernel<<<grid, block, smem, stream>>>(...)`."""

    kernel: str
    caller: str | None
    range: Range
    grid: str
    block: str
    smem: str | None = None
    stream: str | None = None


class Comment(Model):
    """A comment at file scope that holds `kernelwright:`."""

    text: str
    range: Range


class SourceIndex(Model):
    """Everything that is known of a document without compiling it."""

    dialect: Dialect
    functions: tuple[Function, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    launches: tuple[Launch, ...] = ()
    includes: tuple[str, ...] = Field((), description='as written, with "..." or <...>')
    bindings: tuple[tuple[str, str], ...] = Field(
        (), description="PYBIND11_MODULE m.def: (exported name, C function)"
    )
    comments: tuple[Comment, ...] = Field((), description="comments that hold 'kernelwright:'")
    has_main: bool = False
    syntax_errors: tuple[Range, ...] = ()
    unread: str = Field("", description="why nothing of the text was read; empty where it was")

    @property
    def entries(self) -> tuple[Function, ...]:
        """Host functions that can be an entry, in order; kernels are entries only by a directive."""
        return tuple(f for f in self.functions if f.kind == "host" and f.form is not None)

    def find(self, name: str) -> Function | None:
        """The function or kernel called `name`, which may be qualified and instantiated (`ns::f<float>`)."""
        plain = name.split("<", 1)[0].strip()
        return self._by_name.get(plain) or self._by_name.get("*" + plain.rsplit("::", 1)[-1])

    @cached_property
    def _by_name(self) -> dict[str, Function]:
        """Qualified name -> function, and after a star the last name alone; kernels before others, the first first."""
        names: dict[str, Function] = {}
        for function in (*self.kernels, *self.functions):
            names.setdefault(function.qualified_name, function)
            names.setdefault("*" + function.name, function)
        return names

    def reached_from(self, name: str) -> tuple[Function, ...]:
        """The function `name` and every function of this document that it calls or launches, transitively."""
        start = self.find(name)
        if start is None:
            return ()
        # One use of a macro may define several.
        reached, waiting = {(start.start_byte, start.qualified_name): start}, [start]
        while waiting:
            for called in waiting.pop().calls:
                function = self.find(called)
                if function is None:
                    continue
                key = (function.start_byte, function.qualified_name)
                if key not in reached:
                    reached[key] = function
                    waiting.append(function)
        return tuple(reached.values())
