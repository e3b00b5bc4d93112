// kernelwright: task=../../tasks/nonzero_flat.py entry=nonzero args="x, out, x.shape[0]"
// parts of 2048, ballots of warps instead of scans, fewer counts
#include <cuda_runtime.h>

__device__ int nb_count[1 << 11], nb_start[1 << 11];

__global__ void __launch_bounds__(256) nb_counts(const float4* __restrict__ x) {
    __shared__ int s[8];
    float4 a = x[blockIdx.x * 512 + threadIdx.x], b = x[blockIdx.x * 512 + 256 + threadIdx.x];
    int n = (a.x > 0.f) + (a.y > 0.f) + (a.z > 0.f) + (a.w > 0.f) + (b.x > 0.f) + (b.y > 0.f) + (b.z > 0.f) + (b.w > 0.f);
    n = __reduce_add_sync(~0u, n);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = n;
    __syncthreads();
    if (threadIdx.x == 0) nb_count[blockIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}
__global__ void __launch_bounds__(1024) nb_scan(int blocks) {
    __shared__ int part[32];
    int t = threadIdx.x, lane = t % 32, a = 2 * t < blocks ? nb_count[2 * t] : 0, b = 2 * t + 1 < blocks ? nb_count[2 * t + 1] : 0, s = a + b;
    for (int o = 1; o < 32; o *= 2) {
        int v = __shfl_up_sync(~0u, s, o);
        if (lane >= o) s += v;
    }
    if (lane == 31) part[t / 32] = s;
    __syncthreads();
    for (int i = 0; i < t / 32; ++i) s += part[i];
    nb_start[2 * t] = s - a - b;
    nb_start[2 * t + 1] = s - b;
}
__global__ void __launch_bounds__(256) nb_places(const float* __restrict__ x, int* __restrict__ out) {
    __shared__ int s[8];
    int t = threadIdx.x, lane = t % 32, w = t / 32, first = blockIdx.x * 2048 + w * 256;
    unsigned bits[8];
    int mine = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        bits[k] = __ballot_sync(~0u, x[first + k * 32 + lane] > 0.f);
        mine += __popc(bits[k]);
    }
    if (lane == 0) s[w] = mine;
    __syncthreads();
    int at = nb_start[blockIdx.x];
    for (int i = 0; i < w; ++i) at += s[i];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (bits[k] >> lane & 1) out[at + __popc(bits[k] & ((1u << lane) - 1))] = first + k * 32 + lane;
        at += __popc(bits[k]);
    }
}
extern "C" void nonzero(const float* x, int* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0xff, (size_t)n * 4, stream);
    nb_counts<<<n / 2048, 256, 0, stream>>>((const float4*)x);
    nb_scan<<<1, 1024, 0, stream>>>(n / 2048);
    nb_places<<<n / 2048, 256, 0, stream>>>(x, out);
}
