// kernelwright: task=../../tasks/hash_probe.py entry=hash_probe args="keys, vals, query, out, keys.shape[0], query.shape[0]"
// key and value in one word of 64 bits: one compare-and-swap, one load a place; masks instead of remainders
#include <cuda_runtime.h>

typedef unsigned long long u64;
__device__ u64 h2_entry[1 << 21];

__device__ __forceinline__ unsigned h2_hash(int k) {
    unsigned h = (unsigned)k * 2654435761u;
    return h ^ h >> 15;
}
__global__ void h2_insert(const int* __restrict__ keys, const int* __restrict__ vals, int n, unsigned mask) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    int k = keys[i];
    u64 e = (u64)(unsigned)k << 32 | (unsigned)vals[i];
    unsigned at = h2_hash(k) & mask;
    while (atomicCAS(&h2_entry[at], ~0ull, e) != ~0ull) at = (at + 1) & mask;
}
__global__ void h2_find(const int* __restrict__ query, int* __restrict__ out, int q, unsigned mask) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= q) return;
    unsigned k = query[i], at = h2_hash(k) & mask;
    u64 e = h2_entry[at];
    while (e != ~0ull && (unsigned)(e >> 32) != k) e = h2_entry[at = (at + 1) & mask];
    out[i] = e == ~0ull ? -1 : (int)(unsigned)e;
}
extern "C" void hash_probe(const int* keys, const int* vals, const int* query, int* out, int n, int q, cudaStream_t stream) {
    static void* table = nullptr;
    if (!table) cudaGetSymbolAddress(&table, h2_entry);
    cudaMemsetAsync(table, 0xff, (size_t)n * 16, stream);
    h2_insert<<<n / 256, 256, 0, stream>>>(keys, vals, n, 2 * n - 1);
    h2_find<<<q / 256, 256, 0, stream>>>(query, out, q, 2 * n - 1);
}
