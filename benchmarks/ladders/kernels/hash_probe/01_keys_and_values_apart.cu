// kernelwright: task=../../tasks/hash_probe.py entry=hash_probe args="keys, vals, query, out, keys.shape[0], query.shape[0]"
// open addressing with keys and values in arrays of their own
#include <cuda_runtime.h>

__device__ int h1_key[1 << 21], h1_val[1 << 21];

__device__ __forceinline__ unsigned h1_hash(int k) {
    unsigned h = (unsigned)k * 2654435761u;
    return h ^ h >> 15;
}
__global__ void h1_clear(int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < slots) h1_key[i] = -1;
}
__global__ void h1_insert(const int* keys, const int* vals, int n, int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = keys[i], at = h1_hash(k) % slots;
    while (atomicCAS(&h1_key[at], -1, k) != -1) at = (at + 1) % slots;
    h1_val[at] = vals[i];
}
__global__ void h1_find(const int* query, int* out, int q, int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= q) return;
    int k = query[i], at = h1_hash(k) % slots;
    while (h1_key[at] != -1 && h1_key[at] != k) at = (at + 1) % slots;
    out[i] = h1_key[at] == k ? h1_val[at] : -1;
}
extern "C" void hash_probe(const int* keys, const int* vals, const int* query, int* out, int n, int q, cudaStream_t stream) {
    h1_clear<<<2 * n / 256, 256, 0, stream>>>(2 * n);
    h1_insert<<<n / 256, 256, 0, stream>>>(keys, vals, n, 2 * n);
    h1_find<<<q / 256, 256, 0, stream>>>(query, out, q, 2 * n);
}
