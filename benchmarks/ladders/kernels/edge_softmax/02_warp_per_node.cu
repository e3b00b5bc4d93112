// kernelwright: task=../../tasks/edge_softmax.py entry=edge_softmax args="e, start, out, start.shape[0] - 1"
// a warp a node, eight edges at once, three passes
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) e2_warp(const float* __restrict__ e, const int* __restrict__ start, float* __restrict__ out, int nodes) {
    int node = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (node >= nodes) return;
    int first = start[node] * 4, end = start[node + 1] * 4;
    float top = -1e30f, sum = 0.f;
    for (int k = first + lane; k < end; k += 32) top = fmaxf(top, e[k]);
#pragma unroll
    for (int o = 4; o < 32; o *= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, o));
    for (int k = first + lane; k < end; k += 32) sum += __expf(e[k] - top);
#pragma unroll
    for (int o = 4; o < 32; o *= 2) sum += __shfl_xor_sync(~0u, sum, o);
    for (int k = first + lane; k < end; k += 32) out[k] = __fdividef(__expf(e[k] - top), sum);
}
extern "C" void edge_softmax(const float* e, const int* start, float* out, int nodes, cudaStream_t stream) {
    e2_warp<<<(nodes + 7) / 8, 256, 0, stream>>>(e, start, out, nodes);
}
