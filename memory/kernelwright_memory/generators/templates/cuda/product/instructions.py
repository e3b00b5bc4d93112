"""The device functions of a product: scaling and splitting, asynchronous copies, fragments, multiplications."""

_SCALE = """\
// The power of two that brings numbers of at most `largest` into the range of float16, below 2^15.
__device__ __forceinline__ float {p}_scale(float largest) {{
    const int exponent = 268 - (__float_as_int(largest) >> 23 & 255);
    return __int_as_float((exponent < 253 ? exponent : 253) << 23);
}}
"""
_PACK2 = """\
// Two numbers as float16 (large), and what rounding took from them (small).
__device__ __forceinline__ void {p}_pack(float first, float second, __half2& large, __half2& small) {{
    large = __floats2half2_rn(first, second);
    small = __floats2half2_rn(first - __low2float(large), second - __high2float(large));
}}
"""
_COPY = """\
// Starts a copy of 16 bytes into shared memory; zeros where nothing is inside.
__device__ __forceinline__ void {p}_copy(__half* to, const __half* from, bool inside) {{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\\n"
        :: "r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))), "l"(from), "r"(inside ? 16 : 0) : "memory");
}}
"""
_COMMIT = """\
__device__ __forceinline__ void {p}_commit() {{
    asm volatile("cp.async.commit_group;\\n" ::: "memory");
}}
"""
_WAIT = """\
// Waits until at most PENDING of the latest groups of copies are on their way.
template <int PENDING>
__device__ __forceinline__ void {p}_wait() {{
    asm volatile("cp.async.wait_group %0;\\n" :: "n"(PENDING) : "memory");
}}
"""
_PLACE = """\
// Where a chunk of 16 bytes stands in a tile of 128-byte lines: chunks change places from line to line, so that the eight
// lines of a fragment lie in banks of their own.
__device__ __forceinline__ int {p}_place(int line, int chunk) {{
    return line * 64 + (chunk ^ line % 8) * 8;
}}
"""
_LDMATRIX = """\
__device__ __forceinline__ void {p}_ldmatrix(uint32_t (&to)[4], const __half* from) {{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%0, %1, %2, %3}}, [%4];\\n"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))) : "memory");
}}
"""
_MMA = """\
__device__ __forceinline__ void {p}_mma(float (&sum)[4], const uint32_t (&left)[4], const uint32_t (&right)[2]) {{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%0, %1, %2, %3}}, {{%4, %5, %6, %7}}, {{%8, %9}}, {{%0, %1, %2, %3}};\\n"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}}
"""


def packing_functions(prefix: str) -> tuple[str, ...]:
    """What packing factors calls, named after the entry."""
    return tuple(text.format(p=prefix) for text in (_SCALE, _PACK2))


def product_functions(prefix: str, *, streamed: bool = False) -> tuple[str, ...]:
    """What multiplying packed factors calls, named after the entry.

    Args:
        streamed: a factor is split in the kernel.
    """
    packing = (_PACK2,) if streamed else ()
    texts = (_SCALE, *packing, _COPY, _COMMIT, _WAIT, _PLACE, _LDMATRIX, _MMA)
    return tuple(text.format(p=prefix) for text in texts)
