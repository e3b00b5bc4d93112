// kernelwright: task=../../tasks/power_steps.py entry=power_steps args="a, x, out, x.shape[0]"
// a warp a row, four elements a load
#include <cuda_runtime.h>

__global__ void pw_warp(const float4* a, const float4* x, float* y, int n) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float s = 0.f;
    for (int i = lane; i < n / 4; i += 32) {
        float4 u = a[(size_t)r * (n / 4) + i], v = x[i];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) y[r] = s;
}
extern "C" void power_steps(const float* a, const float* x, float* out, int n, cudaStream_t stream) {
    static float* room = nullptr;
    static int have = 0;
    if (have < 2 * n) { if (room) cudaFree(room); cudaMalloc(&room, 2 * n * 4); have = 2 * n; }
    const float* from = x;
    for (int i = 0; i < 8; ++i) {
        float* to = i == 7 ? out : room + i % 2 * n;
        pw_warp<<<n / 4, 128, 0, stream>>>((const float4*)a, (const float4*)from, to, n);
        from = to;
    }
}
