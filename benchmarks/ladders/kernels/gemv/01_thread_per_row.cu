// kernelwright: task=../../tasks/gemv.py entry=gemv args="a, x, out, a.shape[0], a.shape[1]"
// a thread a row
#include <cuda_runtime.h>

__global__ void gv_thread(const float* a, const float* x, float* out, int m, int k) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    float s = 0.f;
    for (int i = 0; i < k; ++i) s += a[(size_t)r * k + i] * x[i];
    out[r] = s;
}
extern "C" void gemv(const float* a, const float* x, float* out, int m, int k, cudaStream_t stream) {
    gv_thread<<<(m + 127) / 128, 128, 0, stream>>>(a, x, out, m, k);
}
