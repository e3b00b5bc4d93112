#!/usr/bin/env python3
"""How many clocks of a processor the device's mathematical functions take, on the GPU of this machine.

    python functions.py OUT.json        needs a GPU and nvcc; a minute

Of each function: clocks of one processor for a warp's call while all its places are taken, and clocks of one warp from a call to
the next one that needs its result. A loop with an addition instead of the function is taken off both.
"""

import on_device

# With arguments where a function takes its usual way: `x` lies between 0.2 and 0.8, `y` between 1.2 and 1.8.
_BOTH = {
    "exp": "exp{f}(x)", "exp2": "exp2{f}(x)", "exp10": "exp10{f}(x)", "expm1": "expm1{f}(x)", "log": "log{f}(x)",
    "log2": "log2{f}(x)", "log10": "log10{f}(x)", "log1p": "log1p{f}(x)", "pow": "pow{f}(x, y)", "tanh": "tanh{f}(x)",
    "sinh": "sinh{f}(x)", "cosh": "cosh{f}(x)", "sin": "sin{f}(x)", "cos": "cos{f}(x)", "tan": "tan{f}(x)",
    "sincos": "both{f}(x)", "asin": "asin{f}(x)", "acos": "acos{f}(x)", "atan": "atan{f}(x)", "atan2": "atan2{f}(x, y)",
    "asinh": "asinh{f}(x)", "acosh": "acosh{f}(y)", "atanh": "atanh{f}(x)", "erf": "erf{f}(x)", "erfc": "erfc{f}(x)",
    "erfinv": "erfinv{f}(x)", "normcdf": "normcdf{f}(x)", "lgamma": "lgamma{f}(y)", "tgamma": "tgamma{f}(y)",
    "sqrt": "sqrt{f}(x)", "rsqrt": "rsqrt{f}(x)", "cbrt": "cbrt{f}(x)", "hypot": "hypot{f}(x, y)", "fmod": "fmod{f}(y, x)",
    "remainder": "remainder{f}(y, x)", "divide": "y / x", "floor": "floor{f}(x)", "round": "round{f}(x)", "rint": "rint{f}(x)",
    "ldexp": "ldexp{f}(x, 3)", "frexp": "mantissa{f}(x)", "modf": "fraction{f}(y)",
}  # fmt: skip
_FAST = {
    "__expf": "__expf(x)", "__exp10f": "__exp10f(x)", "__logf": "__logf(x)", "__log2f": "__log2f(x)", "__log10f": "__log10f(x)",
    "__sinf": "__sinf(x)", "__cosf": "__cosf(x)", "__tanf": "__tanf(x)", "__powf": "__powf(x, y)",
    "__fdividef": "__fdividef(y, x)", "__frcp_rn": "__frcp_rn(x)", "__fsqrt_rn": "__fsqrt_rn(x)",
}  # fmt: skip

_BODY = r"""
#include <cstdio>
#include <cuda_runtime.h>
__device__ float bothf(float x) { float s, c; sincosf(x, &s, &c); return s + c; }
__device__ double both(double x) { double s, c; sincos(x, &s, &c); return s + c; }
__device__ float mantissaf(float x) { int e; return frexpf(x, &e) + e; }
__device__ double mantissa(double x) { int e; return frexp(x, &e) + e; }
__device__ float fractionf(float x) { float w; return modff(x, &w) + w; }
__device__ double fraction(double x) { double w; return modf(x, &w) + w; }
constexpr int rounds = 256;
template <class T, class F> __global__ void many(F f, T* out) {
    T x[4], y = T(1.2) + T(threadIdx.x) / T(4096), sum = 0;
    for (int j = 0; j < 4; ++j) x[j] = T(0.2) + T(threadIdx.x * 4 + j) / T(8192);
    for (int r = 0; r < rounds / 4; ++r)
#pragma unroll
        for (int j = 0; j < 4; ++j) { x[j] += T(1e-5); sum += f(x[j], y); }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template <class T, class F> __global__ void chain(F f, T* out, long long* took) {
    T x = T(0.2) + T(threadIdx.x) / T(64), y = T(1.2) + T(threadIdx.x) / T(4096), was = x;
    long long begin = clock64();
#pragma unroll 4
    for (int r = 0; r < rounds; ++r) x = was + f(x, y) * T(0);
    took[threadIdx.x] = clock64() - begin;
    out[threadIdx.x] = x;
}
template <class T, class F> void row(const char* name, const char* type, F f) {
    static T* out = nullptr;
    static long long* took = nullptr;
    if (!out) cudaMalloc(&out, sizeof(T) * 1024 * 4096), cudaMallocManaged(&took, sizeof(long long) * 32);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int clock = 0;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
    cudaEvent_t a, b;
    cudaEventCreate(&a), cudaEventCreate(&b);
    float least = 1e30f;
    const int blocks = p.multiProcessorCount * 8;
    for (int i = 0; i < 7; ++i) {
        cudaEventRecord(a);
        many<T><<<blocks, 512>>>(f, out);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        float ms = 0;
        cudaEventElapsedTime(&ms, a, b);
        least = ms < least ? ms : least;
    }
    long long shortest = 1ll << 60;
    for (int i = 0; i < 3; ++i) {
        chain<T><<<1, 32>>>(f, out, took);
        cudaDeviceSynchronize();
        shortest = took[0] < shortest ? took[0] : shortest;
    }
    double calls = 8.0 * 16 * rounds;  // of warps, on each processor
    printf("%s %s %.4f %.3f\n", name, type, double(least) * clock / calls, double(shortest) / rounds);
    cudaEventDestroy(a), cudaEventDestroy(b);
}
int main() {
"""


def program() -> str:
    calls = []
    for name, form in {"nothing": "x", **_BOTH, **_FAST}.items():
        types = ("float",) if name in _FAST else ("float", "double")
        for kind in types:
            call = form.replace("{f}", "f" if kind == "float" else "")
            calls.append(
                f'row<{kind}>("{name}", "{kind}", [] __device__({kind} x, {kind} y) -> {kind} {{ return {call}; }});'
            )
    return _BODY + "\n".join(calls) + "\n}\n"


def main() -> None:
    options = on_device.arguments(__doc__)
    rows = [line.split() for line in on_device.output_of(program(), options.arch, "--extended-lambda")]
    nothing = {kind: (float(many), float(chain)) for name, kind, many, chain in rows if name == "nothing"}
    functions = [
        {
            "function": name,
            "type": kind,
            "clocks_per_call": round(float(many) - nothing[kind][0], 3),
            "latency_clocks": round(float(chain) - nothing[kind][1], 2),
        }
        for name, kind, many, chain in rows
        if name != "nothing"
    ]
    on_device.write(options.out, options.arch, functions=functions)


if __name__ == "__main__":
    main()
