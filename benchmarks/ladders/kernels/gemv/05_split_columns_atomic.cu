// kernelwright: task=../../tasks/gemv.py entry=gemv args="a, x, out, a.shape[0], a.shape[1]"
// 64 columns a block: a thread walks down rows and adds by atomics
#include <cuda_runtime.h>

__global__ void gv_split(const float* a, const float* x, float* out, int m, int k) {
    int c = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32;
    float q = x[c];
    for (int r = blockIdx.y * 64; r < blockIdx.y * 64 + 64 && r < m; ++r) {
        float v = a[(size_t)r * k + c] * q;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
        if (lane == 0) atomicAdd(&out[r], v);
    }
}
extern "C" void gemv(const float* a, const float* x, float* out, int m, int k, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float) * m, stream);
    gv_split<<<dim3(k / 128, (m + 63) / 64), 128, 0, stream>>>(a, x, out, m, k);
}
