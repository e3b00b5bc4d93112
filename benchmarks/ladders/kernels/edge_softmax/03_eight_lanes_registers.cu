// kernelwright: task=../../tasks/edge_softmax.py entry=edge_softmax args="e, start, out, start.shape[0] - 1"
// eight lanes a node, an edge's four heads a lane by float4; up to 80 edges stay in registers
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) e3_lanes(const float4* __restrict__ e, const int* __restrict__ start, float4* __restrict__ out, int nodes) {
    int node = (blockIdx.x * 256 + threadIdx.x) / 8, lane = threadIdx.x % 8;
    bool live = node < nodes;
    int first = live ? start[node] : 0, end = live ? start[node + 1] : 0;
    float4 v[10], top = make_float4(-1e30f, -1e30f, -1e30f, -1e30f), sum = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
    for (int k = 0; k < 10; ++k) {
        int at = first + k * 8 + lane;
        if (at < end) {
            v[k] = e[at];
            top = make_float4(fmaxf(top.x, v[k].x), fmaxf(top.y, v[k].y), fmaxf(top.z, v[k].z), fmaxf(top.w, v[k].w));
        }
    }
#pragma unroll
    for (int o = 1; o < 8; o *= 2) {
        top.x = fmaxf(top.x, __shfl_xor_sync(~0u, top.x, o));
        top.y = fmaxf(top.y, __shfl_xor_sync(~0u, top.y, o));
        top.z = fmaxf(top.z, __shfl_xor_sync(~0u, top.z, o));
        top.w = fmaxf(top.w, __shfl_xor_sync(~0u, top.w, o));
    }
#pragma unroll
    for (int k = 0; k < 10; ++k)
        if (first + k * 8 + lane < end) {
            v[k] = make_float4(__expf(v[k].x - top.x), __expf(v[k].y - top.y), __expf(v[k].z - top.z), __expf(v[k].w - top.w));
            sum = make_float4(sum.x + v[k].x, sum.y + v[k].y, sum.z + v[k].z, sum.w + v[k].w);
        }
#pragma unroll
    for (int o = 1; o < 8; o *= 2) {
        sum.x += __shfl_xor_sync(~0u, sum.x, o);
        sum.y += __shfl_xor_sync(~0u, sum.y, o);
        sum.z += __shfl_xor_sync(~0u, sum.z, o);
        sum.w += __shfl_xor_sync(~0u, sum.w, o);
    }
    float4 r = make_float4(1.f / sum.x, 1.f / sum.y, 1.f / sum.z, 1.f / sum.w);
#pragma unroll
    for (int k = 0; k < 10; ++k) {
        int at = first + k * 8 + lane;
        if (at < end) out[at] = make_float4(v[k].x * r.x, v[k].y * r.y, v[k].z * r.z, v[k].w * r.w);
    }
}
extern "C" void edge_softmax(const float* e, const int* start, float* out, int nodes, cudaStream_t stream) {
    e3_lanes<<<(nodes * 8 + 255) / 256, 256, 0, stream>>>((const float4*)e, start, (float4*)out, nodes);
}
