// Rates and latencies of one chip's units, each measured alone: the constants of backends/.../cuda/chips.
//
//   nvcc -O3 -arch=sm_90 rates.cu -o rates && ./rates > rates.json
//
// One JSON object: `latency_clocks` of chains in one warp, `per_clock` of one processor (warp instructions or requests),
// `bytes_per_us` of caches and memory by size, `atomics`, `launch_us`. Clocks are those of the processor.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); return 1; } } while (0)

__device__ unsigned long long sink;

// ---- arithmetic: CHAINS independent chains of one operation, 32 x 64 times each
struct Fma { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Fadd { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("add.rn.f32 %0,%0,%0;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Fmax { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("max.f32 %0,%0,0f3f800000;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Dfma { double v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("fma.rn.f64 %0,%0,%0,%0;" : "+d"(v)); } __device__ unsigned get() { return (unsigned)v; } };
struct Hfma2 { unsigned v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("fma.rn.f16x2 %0,%0,%0,%0;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Iadd { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("add.s32 %0,%0,%0;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Imad { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("mad.lo.s32 %0,%0,%0,%0;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Lop { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("lop3.b32 %0,%0,%0,%0,0x96;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Shf { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("shf.l.wrap.b32 %0,%0,%0,7;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Imin { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("min.s32 %0,%0,77;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Sel { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("{.reg .pred p; setp.lt.s32 p,%0,77; selp.s32 %0,%0,5,p;}" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Popc { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("popc.b32 %0,%0;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Prmt { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("prmt.b32 %0,%0,%0,0x2103;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Dp4a { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("dp4a.s32.s32 %0,%0,%0,%0;" : "+r"(v)); } __device__ unsigned get() { return v; } };
struct Ex2 { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Rsq { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("rsqrt.approx.ftz.f32 %0,%0;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Tanh { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("tanh.approx.f32 %0,%0;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct F2i { int v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("cvt.rzi.s32.f32 %0,%1;" : "=r"(v) : "f"(__int_as_float(v))); } __device__ unsigned get() { return v; } };
struct I2f { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("cvt.rn.f32.s32 %0,%1;" : "=f"(v) : "r"(__float_as_int(v))); } __device__ unsigned get() { return __float_as_uint(v); } };
struct H2f { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("{.reg .b16 h,l; mov.b32 {h,l},%1; cvt.f32.f16 %0,h;}" : "=f"(v) : "r"(__float_as_int(v))); } __device__ unsigned get() { return __float_as_uint(v); } };
struct F2h { unsigned v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("{.reg .b16 h; cvt.rn.f16.f32 h,%1; mov.b32 %0,{h,h};}" : "=r"(v) : "f"(__uint_as_float(v))); } __device__ unsigned get() { return v; } };
struct F2h2 { unsigned v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("cvt.rn.f16x2.f32 %0,%1,%1;" : "=r"(v) : "f"(__uint_as_float(v))); } __device__ unsigned get() { return v; } };
struct F2d { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("{.reg .f64 d; cvt.f64.f32 d,%0; cvt.rn.f32.f64 %0,d;}" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Rint { float v; __device__ void init(int i) { v = i; } __device__ void go() { asm volatile("cvt.rni.f32.f32 %0,%0;" : "+f"(v)); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Shfl { int v; __device__ void init(int i) { v = i; } __device__ void go() { v = __shfl_xor_sync(~0u, v, 1); } __device__ unsigned get() { return v; } };
struct Ballot { int v; __device__ void init(int i) { v = i; } __device__ void go() { v = __ballot_sync(~0u, v & 1); } __device__ unsigned get() { return v; } };
struct Redux { int v; __device__ void init(int i) { v = i; } __device__ void go() { v = __reduce_add_sync(~0u, v); } __device__ unsigned get() { return v; } };
struct Match { int v; __device__ void init(int i) { v = i; } __device__ void go() { v = __match_any_sync(~0u, v); } __device__ unsigned get() { return v; } };
struct Fdiv { float v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = 3.f / v; } __device__ unsigned get() { return __float_as_uint(v); } };
struct Fsqrt { float v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = sqrtf(v) + 1.f; } __device__ unsigned get() { return __float_as_uint(v); } };
struct Fexp { float v; __device__ void init(int i) { v = -i; } __device__ void go() { v = expf(v); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Flog { float v; __device__ void init(int i) { v = i + 3; } __device__ void go() { v = logf(v); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Ftanh { float v; __device__ void init(int i) { v = i + 3; } __device__ void go() { v = tanhf(v); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Ferf { float v; __device__ void init(int i) { v = i + 3; } __device__ void go() { v = erff(v); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Fpow { float v; __device__ void init(int i) { v = i + 3; } __device__ void go() { v = powf(v, 0.3f); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Fsin { float v; __device__ void init(int i) { v = i; } __device__ void go() { v = sinf(v); } __device__ unsigned get() { return __float_as_uint(v); } };
struct Ddiv { double v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = 3.0 / v; } __device__ unsigned get() { return (unsigned)v; } };
struct Dsqrt { double v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = sqrt(v) + 1.0; } __device__ unsigned get() { return (unsigned)v; } };
struct Dexp { double v; __device__ void init(int i) { v = -i; } __device__ void go() { v = exp(v) - 1.0; } __device__ unsigned get() { return (unsigned)v; } };
struct Idiv { int v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = 123456789 / (v | 3); } __device__ unsigned get() { return v; } };
struct Umod { unsigned v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = 123456789u % (v | 3); } __device__ unsigned get() { return v; } };
struct Ldiv { long long v; __device__ void init(int i) { v = i + 2; } __device__ void go() { v = 1234567890123456789ll / (v | 3); } __device__ unsigned get() { return (unsigned)v; } };
struct Imul64 { long long v; __device__ void init(int i) { v = i + 2; } __device__ void go() { asm volatile("mad.lo.s64 %0,%0,%0,%0;" : "+l"(v)); } __device__ unsigned get() { return (unsigned)v; } };

template <class Op, int CHAINS>
__global__ void arithmetic(long long* clocks, int rounds) {
    Op op[CHAINS];
    for (int c = 0; c < CHAINS; ++c) op[c].init(threadIdx.x + c);
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 32; ++i)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) op[c].go();
    }
    __syncthreads();
    long long end = clock64();
    unsigned all = 0;
    for (int c = 0; c < CHAINS; ++c) all ^= op[c].get();
    if (all == 0x12345) sink = all;
    if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
}

long long* clocks_;
std::vector<long long> host_(8192);
long long read_clocks() { cudaMemcpy(host_.data(), clocks_, 8, cudaMemcpyDeviceToHost); return host_[0]; }

template <class Op>
void arithmetic_rows(const char* name, bool& comma_l, std::vector<std::pair<const char*, double>>& rates) {
    const int rounds = 32;
    arithmetic<Op, 1><<<1, 32>>>(clocks_, 2);
    arithmetic<Op, 1><<<1, 32>>>(clocks_, rounds);
    double chain = double(read_clocks()) / (rounds * 32);
    arithmetic<Op, 4><<<1, 1024>>>(clocks_, 1);
    arithmetic<Op, 4><<<1, 1024>>>(clocks_, rounds);
    double rate = 32.0 * rounds * 32 * 4 / read_clocks();
    printf("%s\"%s\": %.2f", comma_l ? ", " : "", name, chain);
    comma_l = true;
    rates.push_back({name, rate});
}

// ---- memory: chains of addresses, and requests a clock
__global__ void chase(const unsigned* next, long long* clocks, int steps, int warm, bool cached) {
    unsigned p = 0;
    for (int i = 0; i < warm; ++i) p = cached ? __ldca(next + p) : __ldcg(next + p);
    long long begin = clock64();
    for (int i = 0; i < steps; ++i) p = cached ? __ldca(next + p) : __ldcg(next + p);
    clocks[0] = clock64() - begin;
    if (p == 0xffffffff) sink = p;
}
__global__ void chase_shared(long long* clocks, int steps) {
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += 32) s[i] = (i + 33) % 1024;
    __syncwarp();
    unsigned p = threadIdx.x;
    long long begin = clock64();
    for (int i = 0; i < steps; ++i) p = s[p];
    clocks[0] = clock64() - begin;
    if (p == 0xffffffff) sink = p;
}
template <class T, int STRIDE, bool SAME>
__global__ void shared_loads(long long* clocks, int rounds) {
    extern __shared__ __align__(16) char raw[];
    const T* s = (const T*)raw;
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) ((int*)raw)[i] = 0;
    __syncthreads();
    int at = SAME ? threadIdx.x / 32 : threadIdx.x % 32 * STRIDE;
    unsigned sum = 0;
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 16; ++i) { T v = s[(at + (i ^ (r & 1))) & (32768 / sizeof(T) - 1)]; sum += *(const unsigned*)&v; }
    }
    __syncthreads();
    long long end = clock64();
    if (sum == 0x12345) sink = sum;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
template <class T, bool SAME, int STRIDE>
__global__ void l1_loads(const T* data, long long* clocks, int rounds) {
    int at = SAME ? threadIdx.x / 32 : threadIdx.x % 32 * STRIDE;
    unsigned sum = 0;
    for (int i = 0; i < 64; ++i) { T v = __ldca(data + at + i); sum += *(unsigned*)&v; }
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 16; ++i) { T v = __ldca(data + at + (i ^ (r & 1))); sum += *(unsigned*)&v; }
    }
    __syncthreads();
    long long end = clock64();
    if (sum == 0x12345) sink = sum;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
template <class T>
__global__ void shared_stores(long long* clocks, int rounds) {
    extern __shared__ __align__(16) char raw[];
    volatile int* check = (volatile int*)raw;
    T v = {};
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 16; ++i) { ((T*)raw)[(threadIdx.x % 32 + (i << 5)) & (32768 / sizeof(T) - 1)] = v; asm volatile("" ::: "memory"); }
    }
    __syncthreads();
    long long end = clock64();
    if (check[0] == 0x12345) sink = 1;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
template <class T>
__global__ void shared_atomics(long long* clocks, int rounds, int spread) {
    __shared__ T s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = 0;
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) atomicAdd(&s[(threadIdx.x % spread + r * 32) & 1023], (T)1);
    __syncthreads();
    long long end = clock64();
    if (s[5] == (T)123456) sink = 1;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
__constant__ float table[16384];
__global__ void constants(long long* clocks, int rounds, int words) {  // all lanes the same word, one after the other
    float a = 0.f, b = 0.f, c = 0.f, d = 0.f;
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r)
#pragma unroll 4
        for (int k = 0; k < words; k += 4) {
            a = fmaf(a, 0.5f, table[k]);
            b = fmaf(b, 0.5f, table[k + 1]);
            c = fmaf(c, 0.5f, table[k + 2]);
            d = fmaf(d, 0.5f, table[k + 3]);
        }
    __syncthreads();
    long long end = clock64();
    if (a + b + c + d == 1e9f) sink = 1;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
__global__ void constants_apart(long long* clocks, int rounds, int words, int step) {  // sixteen words `step` apart at a time
    float a[16] = {};
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r)
        for (int k = 0; k < words; ++k)
#pragma unroll
            for (int j = 0; j < 16; ++j) a[j] = fmaf(a[j], 0.5f, table[j * step + k]);
    __syncthreads();
    long long end = clock64();
    float sum = 0.f;
    for (int j = 0; j < 16; ++j) sum += a[j];
    if (sum == 1e9f) sink = 1;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
__global__ void barriers(long long* clocks, int rounds) {
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
template <int KIND>
__global__ void products(long long* clocks, int rounds) {
    float f[4][4] = {};
    int n[4][4] = {};
    unsigned a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {4, 5};
    __syncthreads();
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            int c = i % 4;
            if (KIND == 0) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[c][0]), "+f"(f[c][1]), "+f"(f[c][2]), "+f"(f[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
            if (KIND == 1) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[c][0]), "+f"(f[c][1]), "+f"(f[c][2]), "+f"(f[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
            if (KIND == 2) asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(n[c][0]), "+r"(n[c][1]), "+r"(n[c][2]), "+r"(n[c][3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
    }
    __syncthreads();
    long long end = clock64();
    if (f[0][0] + f[1][1] + f[2][2] + f[3][3] + n[0][0] + n[1][1] + n[2][2] + n[3][3] == 12345.f) sink = 1;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}
template <int KIND>
__global__ void product_chain(long long* clocks, int rounds) {
    float f[4] = {};
    int n[4] = {};
    unsigned a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {4, 5};
    long long begin = clock64();
    for (int r = 0; r < rounds; ++r) {
        if (KIND == 0) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 1) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        if (KIND == 2) asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    long long end = clock64();
    if (f[0] + n[0] == 12345.f) sink = 1;
    if (threadIdx.x == 0) clocks[0] = end - begin;
}

// ---- bandwidth: the whole chip
template <class T, int DEEP>
__global__ void read_all(const T* data, size_t n, int passes) {
    unsigned sum = 0;
    for (int p = 0; p < passes; ++p)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x * DEEP) {
            T v[DEEP];
#pragma unroll
            for (int k = 0; k < DEEP; ++k) { size_t at = i + (size_t)k * gridDim.x * blockDim.x; if (at < n) v[k] = __ldcg(data + at); else v[k] = T{}; }
#pragma unroll
            for (int k = 0; k < DEEP; ++k) sum += *(unsigned*)&v[k];
        }
    if (sum == 0x12345) sink = sum;
}
__global__ void read_sectors(const int* data, size_t n, int passes) {  // one word of each sector of 32 bytes
    unsigned sum = 0;
    for (int p = 0; p < passes; ++p)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / 8; i += (size_t)gridDim.x * blockDim.x) sum += __ldcg(data + i * 8);
    if (sum == 0x12345) sink = sum;
}
template <class T>
__global__ void write_all(T* data, size_t n, int passes) {
    for (int p = 0; p < passes; ++p)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) data[i] = T{};
}
__global__ void write_partial(int* data, size_t n, int passes, int step) {  // one word in `step`
    for (int p = 0; p < passes; ++p)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / step; i += (size_t)gridDim.x * blockDim.x) data[i * step] = p;
}
__global__ void copy_all(const float4* from, float4* to, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void warps_read(const float4* data, size_t n, int deep) {  // loads in flight by warps in flight
    unsigned sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (deep == 1) for (; i < n; i += step) { float4 v = __ldcg(data + i); sum ^= __float_as_uint(v.x); asm volatile("" :: "r"(sum)); if (sum == 0x1234567) break; }
    else for (; i + 3 * step < n; i += 4 * step) {
        float4 a = __ldcg(data + i), b = __ldcg(data + i + step), c = __ldcg(data + i + 2 * step), d = __ldcg(data + i + 3 * step);
        sum ^= __float_as_uint(a.x) ^ __float_as_uint(b.x) ^ __float_as_uint(c.x) ^ __float_as_uint(d.x);
        if (sum == 0x1234567) break;
    }
    if (sum == 0x12345) sink = sum;
}
template <class T>
__global__ void atomics(T* data, unsigned mask, int kind, int each) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; ++k) {
        unsigned at = kind == 0   ? 0
                      : kind == 1 ? (t + k * 1024) & mask
                      : kind == 2 ? ((t * each + k) * 2654435761u >> 7) & mask
                      : kind == 3 ? t & 31
                                  : (t * 4 + k) & mask;  // of four words a thread, one after the other
        atomicAdd(data + at, (T)1);
    }
}
__global__ void atomics_returning(unsigned* data, unsigned* out, int each) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int k = 0; k < each; ++k) s += atomicAdd(data + (((t * each + k) * 2654435761u >> 7) & 0xfffff), 1u);
    out[t] = s;
}
__global__ void nothing() {}
__global__ void nothing_shared() { extern __shared__ int s[]; if (s[0] == 12345) sink = 1; }
__global__ void one_store(int* data) { data[(blockIdx.x * blockDim.x + threadIdx.x)] = 1; }
__global__ void spin(long long clocks) { long long b = clock64(); while (clock64() - b < clocks) {} }

cudaEvent_t begin_, end_;
char* flush_;
template <class F>
double time_us(F f, bool flush = false, int times = 7) {
    std::vector<float> all;
    for (int i = 0; i < times; ++i) {
        if (flush) cudaMemsetAsync(flush_, i, 256 << 20);
        spin<<<1, 1>>>(1500000);
        cudaEventRecord(begin_);
        f();
        cudaEventRecord(end_);
        cudaEventSynchronize(end_);
        float ms;
        cudaEventElapsedTime(&ms, begin_, end_);
        all.push_back(ms * 1e3f);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

int main() {
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMalloc(&clocks_, 65536));
    CHECK(cudaMalloc(&flush_, 256 << 20));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
    char* big;
    const size_t BIG = (size_t)1 << 30;
    CHECK(cudaMalloc(&big, BIG));
    CHECK(cudaMemset(big, 0, BIG));
    spin<<<132, 256>>>(200000000);
    CHECK(cudaDeviceSynchronize());
    int sms = p.multiProcessorCount;
    std::vector<std::pair<const char*, double>> rates;
    printf("{\"device\": \"%s\", \"processors\": %d, \"l2_bytes\": %d,\n\"latency_clocks\": {", p.name, sms, p.l2CacheSize);
    bool comma = false;
#define ROW(T, NAME) arithmetic_rows<T>(NAME, comma, rates)
    ROW(Fma, "fma"); ROW(Fadd, "add"); ROW(Fmax, "max"); ROW(Dfma, "fma_f64"); ROW(Hfma2, "fma_f16x2"); ROW(Iadd, "add_s32"); ROW(Imad, "mad_s32");
    ROW(Lop, "lop3"); ROW(Shf, "shf"); ROW(Imin, "min_s32"); ROW(Sel, "setp_selp"); ROW(Popc, "popc"); ROW(Prmt, "prmt"); ROW(Dp4a, "dp4a");
    ROW(Ex2, "ex2"); ROW(Rsq, "rsqrt"); ROW(Tanh, "tanh_approx"); ROW(F2i, "f32_to_s32"); ROW(I2f, "s32_to_f32"); ROW(H2f, "f16_to_f32"); ROW(F2h, "f32_to_f16");
    ROW(F2h2, "f32_to_f16x2"); ROW(F2d, "f32_to_f64_and_back"); ROW(Rint, "rint"); ROW(Shfl, "shfl"); ROW(Ballot, "ballot"); ROW(Redux, "redux"); ROW(Match, "match_any");
    ROW(Fdiv, "divide"); ROW(Fsqrt, "sqrtf_add"); ROW(Fexp, "expf"); ROW(Flog, "logf"); ROW(Ftanh, "tanhf"); ROW(Ferf, "erff"); ROW(Fpow, "powf"); ROW(Fsin, "sinf");
    ROW(Ddiv, "divide_f64"); ROW(Dsqrt, "sqrt_f64_add"); ROW(Dexp, "exp_f64_add"); ROW(Idiv, "divide_s32"); ROW(Umod, "mod_u32"); ROW(Ldiv, "divide_s64"); ROW(Imul64, "mad_s64");
    CHECK(cudaDeviceSynchronize());
    // chains of addresses: a stride of 544 bytes over a size, so that each step is a new line
    for (auto [name, bytes, cached] : {std::tuple<const char*, size_t, bool>{"l1_load", 64 << 10, true}, {"l2_load", 2 << 20, false}, {"l2_load_24mb", 24 << 20, false}, {"dram_load", (size_t)512 << 20, false}}) {
        size_t words = bytes / 4, step = 4096 / 4 + 32;
        if (cached) step = 32;
        size_t count = words / step;
        std::vector<unsigned> next(words, 0);
        std::vector<unsigned> order(count);
        for (size_t i = 0; i < count; ++i) order[i] = i;
        unsigned seed = 1;
        for (size_t i = count - 1; i > 0; --i) { seed = seed * 1664525u + 1013904223u; std::swap(order[i], order[seed % (i + 1)]); }
        for (size_t i = 0; i < count; ++i) next[order[i] * step] = order[(i + 1) % count] * step;
        size_t start = order[0] * step;
        (void)start;
        CHECK(cudaMemcpy(big, next.data(), bytes, cudaMemcpyHostToDevice));
        bool dram = bytes > ((size_t)256 << 20);
        if (dram) CHECK(cudaMemset(flush_, 1, 256 << 20));
        int steps = dram ? 2000 : 4000;
        chase<<<1, 1>>>((unsigned*)big, clocks_, steps, dram ? 0 : (int)count + 10, cached);
        printf(", \"%s\": %.1f", name, double(read_clocks()) / steps);
    }
    chase_shared<<<1, 32>>>(clocks_, 1000);
    chase_shared<<<1, 32>>>(clocks_, 1000);
    printf(", \"shared_load\": %.1f", read_clocks() / 1000.0);
    for (int warps : {1, 2, 4, 8, 16, 32}) { barriers<<<1, 32 * warps>>>(clocks_, 64); barriers<<<1, 32 * warps>>>(clocks_, 1024); printf(", \"barrier_%d_warps\": %.1f", warps, read_clocks() / 1024.0); }
    product_chain<0><<<1, 32>>>(clocks_, 1024); printf(", \"mma_m16n8k16_f16\": %.1f", read_clocks() / 1024.0);
    product_chain<1><<<1, 32>>>(clocks_, 1024); printf(", \"mma_m16n8k8_tf32\": %.1f", read_clocks() / 1024.0);
    product_chain<2><<<1, 32>>>(clocks_, 1024); printf(", \"mma_m16n8k32_s8\": %.1f", read_clocks() / 1024.0);
    for (int spread : {1, 32}) { shared_atomics<int><<<1, 32>>>(clocks_, 512, spread); printf(", \"shared_atomic_s32_%d_addresses\": %.1f", spread, read_clocks() / 512.0); shared_atomics<float><<<1, 32>>>(clocks_, 512, spread); printf(", \"shared_atomic_f32_%d_addresses\": %.1f", spread, read_clocks() / 512.0); }
    printf("},\n\"per_clock\": {");
    bool first = true;
    for (auto& [name, rate] : rates) { printf("%s\"%s\": %.3f", first ? "" : ", ", name, rate); first = false; }
    CHECK(cudaMemset(big, 0, 1 << 20));
    auto per_clock = [&](const char* name, double requests) { printf(", \"%s\": %.3f", name, requests / read_clocks()); };
    const double R = 32.0 * 256 * 16;
#define SHARED(T, S, B, NAME) shared_loads<T, S, B><<<1, 1024, 32768>>>(clocks_, 8); shared_loads<T, S, B><<<1, 1024, 32768>>>(clocks_, 256); per_clock(NAME, R)
    SHARED(int, 1, false, "shared_load_32"); SHARED(int2, 1, false, "shared_load_64"); SHARED(int4, 1, false, "shared_load_128"); SHARED(int, 1, true, "shared_load_32_same"); SHARED(int4, 1, true, "shared_load_128_same");
    SHARED(int, 2, false, "shared_load_32_stride_2"); SHARED(int, 32, false, "shared_load_32_stride_32");
    shared_stores<int><<<1, 1024, 32768>>>(clocks_, 256); per_clock("shared_store_32", R);
    shared_stores<int4><<<1, 1024, 32768>>>(clocks_, 256); per_clock("shared_store_128", R);
#define L1(T, B, S, NAME) l1_loads<T, B, S><<<1, 1024>>>((const T*)big, clocks_, 8); l1_loads<T, B, S><<<1, 1024>>>((const T*)big, clocks_, 256); per_clock(NAME, R)
    L1(int, false, 1, "l1_load_32"); L1(int2, false, 1, "l1_load_64"); L1(int4, false, 1, "l1_load_128"); L1(int, true, 1, "l1_load_32_same"); L1(int4, true, 1, "l1_load_128_same");
    L1(int, false, 2, "l1_load_32_stride_2"); L1(int, false, 4, "l1_load_32_stride_4"); L1(int, false, 8, "l1_load_32_stride_8"); L1(int, false, 32, "l1_load_32_stride_32"); L1(int, false, 64, "l1_load_32_stride_64"); L1(int4, false, 8, "l1_load_128_stride_8");
    for (int spread : {1, 2, 8, 32}) {
        shared_atomics<int><<<1, 1024>>>(clocks_, 512, spread); printf(", \"shared_atomic_s32_%d_addresses\": %.4f", spread, 32 * 512.0 / read_clocks());
        shared_atomics<float><<<1, 1024>>>(clocks_, 512, spread); printf(", \"shared_atomic_f32_%d_addresses\": %.4f", spread, 32 * 512.0 / read_clocks());
    }
    for (int words : {64, 256, 512, 1024, 2048, 4096, 8192, 16384}) {
        constants<<<1, 1024>>>(clocks_, 1, words);
        constants<<<1, 1024>>>(clocks_, 65536 / words, words);
        printf(", \"constant_%d_words\": %.3f", words, 65536.0 * 32 / read_clocks());
        constants<<<1, 128>>>(clocks_, 65536 / words, words);
        printf(", \"constant_%d_words_4_warps\": %.3f", words, 65536.0 * 4 / read_clocks());
    }
    for (int words : {16, 64, 216}) {
        constants_apart<<<1, 1024>>>(clocks_, 1, words, words);
        constants_apart<<<1, 1024>>>(clocks_, 64, words, words);
        printf(", \"constant_sixteen_runs_of_%d\": %.3f", words, 64.0 * 16 * words * 32 / read_clocks());
    }
    for (int warps : {1, 4, 8, 16}) {
        products<0><<<1, 32 * warps>>>(clocks_, 64); printf(", \"mma_m16n8k16_f16_%d_warps\": %.4f", warps, 64.0 * 16 * warps / read_clocks());
        products<1><<<1, 32 * warps>>>(clocks_, 64); printf(", \"mma_m16n8k8_tf32_%d_warps\": %.4f", warps, 64.0 * 16 * warps / read_clocks());
        products<2><<<1, 32 * warps>>>(clocks_, 64); printf(", \"mma_m16n8k32_s8_%d_warps\": %.4f", warps, 64.0 * 16 * warps / read_clocks());
    }
    CHECK(cudaDeviceSynchronize());
    printf("},\n\"bytes_per_us\": {");
    first = true;
    for (size_t mb : {2, 8, 16, 24, 32, 40, 48, 56, 64, 96, 128, 512}) {
        size_t bytes = mb << 20;
        int passes = mb <= 64 ? 8 : mb <= 128 ? 4 : 1;
        // The first pass brings it in: times of one pass are taken off.
        auto slope = [&](auto f) { f(1); double one = time_us([&] { f(1); }), more = time_us([&] { f(1 + passes); }); return bytes * passes / (more - one); };
        printf("%s\"read_16_%zu_mb\": %.0f", first ? "" : ", ", mb, slope([&](int n) { read_all<int4, 4><<<sms * 4, 512>>>((int4*)big, bytes / 16, n); }));
        printf(", \"read_4_%zu_mb\": %.0f", mb, slope([&](int n) { read_all<int, 4><<<sms * 4, 512>>>((int*)big, bytes / 4, n); }));
        printf(", \"read_sectors_%zu_mb\": %.0f", mb, slope([&](int n) { read_sectors<<<sms * 4, 512>>>((int*)big, bytes / 4, n); }));
        printf(", \"write_16_%zu_mb\": %.0f", mb, slope([&](int n) { write_all<int4><<<sms * 4, 512>>>((int4*)big, bytes / 16, n); }));
        printf(", \"write_4_%zu_mb\": %.0f", mb, slope([&](int n) { write_all<int><<<sms * 4, 512>>>((int*)big, bytes / 4, n); }));
        first = false;
    }
    for (size_t mb : {16, 64, 256}) {
        size_t bytes = mb << 20;
        for (int step : {2, 8, 32}) {
            double t = time_us([&] { write_partial<<<sms * 4, 512>>>((int*)big, bytes / 4, 1, step); }, true);
            printf(", \"write_one_word_in_%d_%zu_mb_flushed\": %.0f", step, mb, bytes / t);
        }
        printf(", \"read_16_%zu_mb_flushed\": %.0f", mb, bytes / time_us([&] { read_all<int4, 4><<<sms * 4, 512>>>((int4*)big, bytes / 16, 1); }, true));
        printf(", \"write_16_%zu_mb_flushed\": %.0f", mb, bytes / time_us([&] { write_all<int4><<<sms * 4, 512>>>((int4*)big, bytes / 16, 1); }, true));
        printf(", \"copy_16_%zu_mb_flushed\": %.0f", mb, 2 * bytes / time_us([&] { copy_all<<<(unsigned)(bytes / 16 / 256), 256>>>((float4*)big, (float4*)(big + BIG / 2), bytes / 16); }, true));
    }
    for (int warps : {1, 2, 4, 8, 16, 32, 64})
        for (int deep : {1, 4}) {
            size_t bytes = (size_t)(warps < 4 ? 32 : 128) << 20;
            int block = warps < 8 ? 32 * warps : 256, grid = sms * (warps < 8 ? 1 : warps / 8);
            double t = time_us([&] { warps_read<<<grid, block>>>((float4*)big, bytes / 16, deep); }, true, 3);
            printf(", \"read_16_%d_warps_%d_deep_flushed\": %.0f", warps, deep, bytes / t);
        }
    CHECK(cudaDeviceSynchronize());
    printf("},\n\"atomics_lanes_per_us\": {");
    first = true;
    for (auto [name, kind, mask] : {std::tuple<const char*, int, unsigned>{"same", 0, 0}, {"coalesced", 1, 0xffffff}, {"random_64_kb", 2, 0x3fff}, {"random_1_mb", 2, 0x3ffff}, {"random_16_mb", 2, 0x3fffff}, {"random_256_mb", 2, 0x3ffffff}, {"one_line", 3, 31}, {"coalesced_4_kb", 1, 0x3ff}, {"in_fours", 4, 0xffffff}, {"in_fours_4_kb", 4, 0x3ff}}) {
        int blocks = kind == 0 || kind == 3 ? 512 : 8192, each = 4;
        double n = double(blocks) * 256 * each;
        printf("%s\"f32_%s\": %.0f", first ? "" : ", ", name, n / time_us([&, kind = kind, mask = mask] { atomics<float><<<blocks, 256>>>((float*)big, mask, kind, each); }, false, 3));
        printf(", \"s32_%s\": %.0f", name, n / time_us([&, kind = kind, mask = mask] { atomics<int><<<blocks, 256>>>((int*)big, mask, kind, each); }, false, 3));
        first = false;
    }
    printf(", \"s32_returning_random_4_mb\": %.0f", 8192.0 * 256 * 4 / time_us([&] { atomics_returning<<<8192, 256>>>((unsigned*)big, (unsigned*)(big + BIG / 2), 4); }, false, 3));
    CHECK(cudaDeviceSynchronize());
    printf("},\n\"launch_us\": {");
    printf("\"one_empty\": %.3f, \"one_empty_flushed\": %.3f, \"one_store_flushed\": %.3f, ", time_us([&] { nothing<<<1, 32>>>(); }), time_us([&] { nothing<<<1, 32>>>(); }, true), time_us([&] { one_store<<<1, 32>>>((int*)big); }, true));
    printf("\"none\": %.3f, ", time_us([&] {}));
    printf("\"ten_empty\": %.3f, \"hundred_empty\": %.3f, ", time_us([&] { for (int i = 0; i < 10; ++i) nothing<<<1, 32>>>(); }), time_us([&] { for (int i = 0; i < 100; ++i) nothing<<<1, 32>>>(); }));
    printf("\"ten_full\": %.3f, \"hundred_full\": %.3f, ", time_us([&] { for (int i = 0; i < 10; ++i) one_store<<<sms * 2, 1024>>>((int*)big); }), time_us([&] { for (int i = 0; i < 100; ++i) one_store<<<sms * 2, 1024>>>((int*)big); }));
    printf("\"memset_4_kb\": %.3f, \"ten_memsets_4_kb\": %.3f, \"memset_4_mb\": %.3f, \"copy_4_mb\": %.3f, \"ten_copies_4_mb\": %.3f", time_us([&] { cudaMemsetAsync(big, 0, 4096); }), time_us([&] { for (int i = 0; i < 10; ++i) cudaMemsetAsync(big, 0, 4096); }),
           time_us([&] { cudaMemsetAsync(big, 0, 4 << 20); }), time_us([&] { cudaMemcpyAsync(big, big + BIG / 2, 4 << 20, cudaMemcpyDeviceToDevice); }), time_us([&] { for (int i = 0; i < 10; ++i) cudaMemcpyAsync(big, big + BIG / 2, 4 << 20, cudaMemcpyDeviceToDevice); }));
    for (int threads : {32, 64, 128, 256, 512, 1024}) for (int blocks : {sms * 16, 16384, 131072, 524288}) printf(", \"empty_%d_blocks_of_%d\": %.3f", blocks, threads, time_us([&] { nothing<<<blocks, threads>>>(); }, false, 3));
    for (int threads : {256, 1024}) for (int bytes : {8192, 32768}) printf(", \"empty_131072_blocks_of_%d_shared_%d\": %.3f", threads, bytes, time_us([&] { nothing_shared<<<131072, threads, bytes>>>(); }, false, 3));
    for (int threads : {32, 128, 256, 1024}) printf(", \"store_%d_threads_in_blocks_of_%d\": %.3f", 1 << 24, threads, time_us([&] { one_store<<<(1 << 24) / threads, threads>>>((int*)big); }, false, 3));
    CHECK(cudaDeviceSynchronize());
    printf("}}\n");
    return 0;
}
