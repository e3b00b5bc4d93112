// kernelwright: task=../../tasks/max_drawdown.py entry=max_drawdown args="price, out, price.shape[0], price.shape[1]"
#include <cuda_runtime.h>

// uncoalesced: every thread streams along its own row
__global__ void mdd(const float* price, float* out, int paths, int T) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    const float* row = price + (size_t)p * T;
    float peak = row[0], worst = 0.0f;
    for (int t = 1; t < T; ++t) {
        float v = row[t];
        peak = fmaxf(peak, v);
        worst = fmaxf(worst, peak - v);
    }
    out[p] = worst;
}

extern "C" void max_drawdown(const float* price, float* out, int paths, int T, cudaStream_t stream) {
    mdd<<<(paths + 127) / 128, 128, 0, stream>>>(price, out, paths, T);
}
