// kernelwright: task=../../tasks/sample_rows.py entry=sample args="w, u, out, w.shape[0], w.shape[1]"
// a block of 256 a row, 1024 weights a step, sums of warps in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) sr_block(const float4* __restrict__ w, const float* __restrict__ u, int* __restrict__ out, int v4) {
    __shared__ float sums[2][8];
    int row = blockIdx.x, t = threadIdx.x, lane = t % 32;
    float draw = u[row], before = 0.f;
    for (int first = 0, side = 0; first < v4; first += 256, side ^= 1) {
        int i = first + t;
        float4 x = i < v4 ? w[(size_t)row * v4 + i] : make_float4(0.f, 0.f, 0.f, 0.f);
        float mine = x.x + x.y + x.z + x.w, s = mine;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            float q = __shfl_up_sync(~0u, s, o);
            if (lane >= o) s += q;
        }
        if (lane == 31) sums[side][t / 32] = s;
        __syncthreads();
        float start = before, all = 0.f;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            if (k < t / 32) start += sums[side][k];
            all += sums[side][k];
        }
        float from = start + s - mine;
        if (from <= draw && from + mine > draw) {
            int at = from + x.x > draw ? 0 : from + x.x + x.y > draw ? 1 : from + x.x + x.y + x.z > draw ? 2 : 3;
            out[row] = i * 4 + at;
        }
        before += all;
        if (before > draw) return;
    }
}
extern "C" void sample(const float* w, const float* u, int* out, int rows, int v, cudaStream_t stream) {
    sr_block<<<rows, 256, 0, stream>>>((const float4*)w, u, out, v / 4);
}
