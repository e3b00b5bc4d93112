// kernelwright: task=../../tasks/max_drawdown.py entry=max_drawdown args="price, out, price.shape[0], price.shape[1]"
#include <cuda_runtime.h>

// a warp a path with float4 and the next one already on its way; T a multiple of 4
__global__ void __launch_bounds__(256) mdd(const float4* __restrict__ price, float* __restrict__ out, int paths, int T4) {
    int p = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p >= paths) return;
    const float4* row = price + (size_t)p * T4;
    const float low = -3.4e38f;
    float peak = low, worst = 0.0f;
    float4 next = lane < T4 ? row[lane] : make_float4(low, low, low, low);
    for (int t = lane; t - lane < T4; t += 32) {
        float4 v = next;
        if (t + 32 < T4) next = row[t + 32];
        bool in = t < T4;
        float m1 = fmaxf(v.x, v.y), m2 = fmaxf(m1, v.z), m3 = fmaxf(m2, v.w);
        float m = in ? m3 : low;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            float u = __shfl_up_sync(0xffffffff, m, o);
            if (lane >= o) m = fmaxf(m, u);
        }
        float before = __shfl_up_sync(0xffffffff, m, 1);
        before = lane ? fmaxf(before, peak) : peak;
        if (in) {
            worst = fmaxf(worst, fmaxf(before, v.x) - v.x);
            worst = fmaxf(worst, fmaxf(before, m1) - v.y);
            worst = fmaxf(worst, fmaxf(before, m2) - v.z);
            worst = fmaxf(worst, fmaxf(before, m3) - v.w);
        }
        peak = fmaxf(peak, __shfl_sync(0xffffffff, m, 31));
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) worst = fmaxf(worst, __shfl_xor_sync(0xffffffff, worst, o));
    if (lane == 0) out[p] = worst;
}

extern "C" void max_drawdown(const float* price, float* out, int paths, int T, cudaStream_t stream) {
    mdd<<<(paths + 7) / 8, 256, 0, stream>>>((const float4*)price, out, paths, T / 4);
}
