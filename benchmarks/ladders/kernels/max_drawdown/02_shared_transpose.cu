// kernelwright: task=../../tasks/max_drawdown.py entry=max_drawdown args="price, out, price.shape[0], price.shape[1]"
#include <cuda_runtime.h>

// 32 paths a warp-block: tiles of 32x32 come in coalesced and are walked by columns
__global__ void mdd(const float* __restrict__ price, float* __restrict__ out, int paths, int T) {
    __shared__ float tile[32][33];
    int lane = threadIdx.x, p0 = blockIdx.x * 32;
    float peak = -3.4e38f, worst = 0.0f;
    for (int t0 = 0; t0 < T; t0 += 32) {
        int n = min(32, T - t0);
        for (int r = 0; r < 32; ++r)
            if (p0 + r < paths && lane < n) tile[r][lane] = price[(size_t)(p0 + r) * T + t0 + lane];
        __syncwarp();
        if (p0 + lane < paths)
            for (int t = 0; t < n; ++t) {
                float v = tile[lane][t];
                peak = fmaxf(peak, v);
                worst = fmaxf(worst, peak - v);
            }
        __syncwarp();
    }
    if (p0 + lane < paths) out[p0 + lane] = worst;
}

extern "C" void max_drawdown(const float* price, float* out, int paths, int T, cudaStream_t stream) {
    mdd<<<(paths + 31) / 32, 32, 0, stream>>>(price, out, paths, T);
}
