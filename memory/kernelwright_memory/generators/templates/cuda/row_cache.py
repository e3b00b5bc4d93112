"""A row that several passes read, kept in shared memory where it fits."""

from kernelwright_memory.generators.templates.cuda.elementwise import _BYTES, _CARRIERS
from kernelwright_memory.generators.templates.cuda.emit import Writer
from kernelwright_memory.generators.templates.cuda.row_kernel import CACHE_BYTES, RowKernel
from kernelwright_memory.generators.templates.cuda.row_space import repeated_loads
from kernelwright_memory.generators.templates.cuda.row_walk import (
    Body,
    Cache,
    fours_of,
    loads_in_fours,
    stretch_begin,
    walk,
)
from kernelwright_memory.generators.templates.graph.graph import Load
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES


def open_cache(kernel: RowKernel) -> Cache | None:
    keys = repeated_loads(kernel.step)
    if not keys:
        return None
    key = keys[0]
    kind = CPP_TYPES[key[0].dtype]
    name = kernel.scope.fresh("cached_row")
    rows = kernel.cached_rows()
    kernel.scope.fresh("is_cached")
    kernel.lines.add(f"extern __shared__ __align__(16) unsigned char {kernel.prefix}_memory[];")
    offset = f" + threadIdx.y * {kernel.length_name}" if rows > 1 else ""
    kernel.lines.add(f"{kind}* {name} = reinterpret_cast<{kind}*>({kernel.prefix}_memory){offset};")
    limit = CACHE_BYTES // _BYTES[kind] // rows
    kernel.lines.add(f"const bool is_cached = {kernel.length_name} <= {limit};")
    return Cache(key, name, kind)


def fill_cache(kernel: RowKernel, cache: Cache) -> None:
    """Every thread keeps what it reads."""
    lines, (buffer, strides, offset) = kernel.lines, cache.key
    load = Load(buffer.dtype, buffer, strides, offset)
    kind, carrier = cache.kind, _CARRIERS.get(_BYTES[cache.kind] * kernel.vector)

    def element(writer: Writer, wide: bool) -> None:
        if not wide:
            flat = f"{stretch_begin(kernel, kernel.place, '').lstrip()}{' + ' if kernel.nested(kernel.space) else ''}"
            inner = kernel.place.coordinates[kernel.place.reduced[-1]] if kernel.nested(kernel.space) else "r"
            lines.add(f"{cache.name}[{flat}{inner}] = {writer.write(load, kind)};")

    lines.open("if (is_cached)")
    if loads_in_fours(kernel, kernel.place, [load]):
        # A copy needs no lanes.
        body = Body(lambda place: None, element, lambda p, w: None)
        carried = {cache.key: load}
        nested = kernel.nested(kernel.space)
        if nested:
            for axis in kernel.place.reduced[:-1]:
                name = kernel.place.coordinates[axis]
                extent = kernel.scope.size(kernel.space.shape[axis], "outer")
                lines.open(f"for (int64_t {name} = 0; {name} < {extent}; ++{name})")
        length = kernel.scope.size(kernel.space.shape[-1], "inner") if nested else kernel.length_name
        vectors = fours_of(kernel, kernel.place, length, carried, None)
        begin = kernel.begin_of_row(kernel.place, strides, offset)
        pointer = kernel.scope.buffer(buffer)
        to = f"reinterpret_cast<{carrier}*>({cache.name}{stretch_begin(kernel, kernel.place, ' + ')})[v]"
        source = f"reinterpret_cast<const {carrier}*>({pointer}{'' if begin == '0' else f' + {begin}'})[v]"
        lines.open(f"for (int64_t v = lane; v < {vectors}; v += {kernel.threads})")
        lines.add(f"{to} = {source};")
        lines.close()
        inner = kernel.place.coordinates[kernel.place.reduced[-1]] if nested else "r"
        lines.open(
            f"for (int64_t {inner} = {vectors} * {kernel.vector} + lane; {inner} < {length}; {inner} += {kernel.threads})"
        )
        body.element(kernel.writer(lines, kernel.place), False)
        lines.close()
        for _ in kernel.place.reduced[:-1] if nested else ():
            lines.close()
    else:
        walk(kernel, kernel.place, [load], {}, None, Body(lambda place: None, element, lambda p, w: None))
    lines.close()
    lines.add("__syncwarp();" if kernel.who == "warp" else "__syncthreads();")
