// kernelwright: task=../../tasks/gemv.py entry=gemv args="a, x, out, a.shape[0], a.shape[1]"
// a warp a row, float4
#include <cuda_runtime.h>

__global__ void gv_warp4(const float4* a, const float4* x, float* out, int m, int k4) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= m) return;
    float v = 0.f;
#pragma unroll 4
    for (int i = lane; i < k4; i += 32) {
        float4 p = a[(size_t)r * k4 + i], q = x[i];
        v += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[r] = v;
}
extern "C" void gemv(const float* a, const float* x, float* out, int m, int k, cudaStream_t stream) {
    gv_warp4<<<(m + 7) / 8, 256, 0, stream>>>((const float4*)a, (const float4*)x, out, m, k / 4);
}
