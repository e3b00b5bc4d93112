// kernelwright: task=../../tasks/hash_probe.py entry=hash_probe args="keys, vals, query, out, keys.shape[0], query.shape[0]"
// four keys or queries a thread, their first places loaded before any of them is looked at
#include <cuda_runtime.h>

typedef unsigned long long u64;
__device__ u64 h3_entry[1 << 21];

__device__ __forceinline__ unsigned h3_hash(int k) {
    unsigned h = (unsigned)k * 2654435761u;
    return h ^ h >> 15;
}
__global__ void __launch_bounds__(256) h3_insert(const int4* __restrict__ keys, const int4* __restrict__ vals, int n4, unsigned mask) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    int4 k4 = keys[i], v4 = vals[i];
    int k[4] = {k4.x, k4.y, k4.z, k4.w}, v[4] = {v4.x, v4.y, v4.z, v4.w};
    u64 e[4], old[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        e[j] = (u64)(unsigned)k[j] << 32 | (unsigned)v[j];
        old[j] = atomicCAS(&h3_entry[h3_hash(k[j]) & mask], ~0ull, e[j]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
        for (unsigned at = h3_hash(k[j]) & mask; old[j] != ~0ull;) {
            at = (at + 1) & mask;
            old[j] = atomicCAS(&h3_entry[at], ~0ull, e[j]);
        }
}
__global__ void __launch_bounds__(256) h3_find(const int4* __restrict__ query, int4* __restrict__ out, int q4, unsigned mask) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= q4) return;
    int4 k4 = __ldcs(query + i);
    unsigned k[4] = {(unsigned)k4.x, (unsigned)k4.y, (unsigned)k4.z, (unsigned)k4.w};
    u64 e[4];
    int r[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) e[j] = h3_entry[h3_hash(k[j]) & mask];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        unsigned at = h3_hash(k[j]) & mask;
        while (e[j] != ~0ull && (unsigned)(e[j] >> 32) != k[j]) e[j] = h3_entry[at = (at + 1) & mask];
        r[j] = e[j] == ~0ull ? -1 : (int)(unsigned)e[j];
    }
    __stcs(out + i, make_int4(r[0], r[1], r[2], r[3]));
}
extern "C" void hash_probe(const int* keys, const int* vals, const int* query, int* out, int n, int q, cudaStream_t stream) {
    static void* table = nullptr;
    if (!table) cudaGetSymbolAddress(&table, h3_entry);
    cudaMemsetAsync(table, 0xff, (size_t)n * 16, stream);
    h3_insert<<<n / 1024, 256, 0, stream>>>((const int4*)keys, (const int4*)vals, n / 4, 2 * n - 1);
    h3_find<<<q / 1024, 256, 0, stream>>>((const int4*)query, (int4*)out, q / 4, 2 * n - 1);
}
