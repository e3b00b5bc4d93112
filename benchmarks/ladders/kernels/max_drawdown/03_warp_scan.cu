// kernelwright: task=../../tasks/max_drawdown.py entry=max_drawdown args="price, out, price.shape[0], price.shape[1]"
#include <cuda_runtime.h>

// a warp a path: running maximum by shuffles, 32 prices a step
__global__ void mdd(const float* __restrict__ price, float* __restrict__ out, int paths, int T) {
    int p = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p >= paths) return;
    const float* row = price + (size_t)p * T;
    float peak = row[0], worst = 0.0f;
    for (int t0 = 0; t0 < T; t0 += 32) {
        int t = t0 + lane;
        float v = t < T ? row[t] : -3.4e38f;
        float m = v;
        for (int o = 1; o < 32; o <<= 1) {
            float u = __shfl_up_sync(0xffffffff, m, o);
            if (lane >= o) m = fmaxf(m, u);
        }
        m = fmaxf(m, peak);
        if (t < T) worst = fmaxf(worst, m - v);
        peak = __shfl_sync(0xffffffff, m, 31);
    }
    for (int o = 16; o; o >>= 1) worst = fmaxf(worst, __shfl_xor_sync(0xffffffff, worst, o));
    if (lane == 0) out[p] = worst;
}

extern "C" void max_drawdown(const float* price, float* out, int paths, int T, cudaStream_t stream) {
    mdd<<<(paths + 7) / 8, 256, 0, stream>>>(price, out, paths, T);
}
