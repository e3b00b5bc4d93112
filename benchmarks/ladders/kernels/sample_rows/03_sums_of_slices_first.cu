// kernelwright: task=../../tasks/sample_rows.py entry=sample args="w, u, out, w.shape[0], w.shape[1]"
// each of 32 warps adds its slice, the slice that holds the draw is found and scanned again by its warp
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) sr_slices(const float4* __restrict__ w, const float* __restrict__ u, int* __restrict__ out, int v4) {
    __shared__ float sums[32];
    int row = blockIdx.x, lane = threadIdx.x % 32, wp = threadIdx.x / 32, per = (v4 + 31) / 32, from = wp * per, to = min(from + per, v4);
    const float4* p = w + (size_t)row * v4;
    float s = 0.f, draw = u[row];
#pragma unroll 4
    for (int i = from + lane; i < to; i += 32) {
        float4 x = p[i];
        s += x.x + x.y + x.z + x.w;
    }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) sums[wp] = s;
    __syncthreads();
    float start = 0.f;
    for (int k = 0; k < wp; ++k) start += sums[k];
    if (start > draw || start + s <= draw) return;
    for (int first = from; first < to; first += 32) {
        int i = first + lane;
        float4 x = i < to ? p[i] : make_float4(0.f, 0.f, 0.f, 0.f);
        float mine = x.x + x.y + x.z + x.w, sum = mine;
        for (int o = 1; o < 32; o *= 2) {
            float q = __shfl_up_sync(~0u, sum, o);
            if (lane >= o) sum += q;
        }
        float b = start + sum - mine;
        if (b <= draw && b + mine > draw) out[row] = i * 4 + (b + x.x > draw ? 0 : b + x.x + x.y > draw ? 1 : b + x.x + x.y + x.z > draw ? 2 : 3);
        start += __shfl_sync(~0u, sum, 31);
        if (start > draw) return;
    }
}
extern "C" void sample(const float* w, const float* u, int* out, int rows, int v, cudaStream_t stream) {
    sr_slices<<<rows, 1024, 0, stream>>>((const float4*)w, u, out, v / 4);
}
