// kernelwright: task=../../tasks/power_steps.py entry=power_steps args="a, x, out, x.shape[0]"
// a block of 128 a row, four elements a load, sums by shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) pw_quads(const float4* a, const float4* x, float* y, int n) {
    __shared__ float t[4];
    float s = 0.f;
#pragma unroll 4
    for (int i = threadIdx.x; i < n / 4; i += 128) {
        float4 u = a[(size_t)blockIdx.x * (n / 4) + i], v = x[i];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = t[0] + t[1] + t[2] + t[3];
}
extern "C" void power_steps(const float* a, const float* x, float* out, int n, cudaStream_t stream) {
    static float* room = nullptr;
    static int have = 0;
    if (have < 2 * n) { if (room) cudaFree(room); cudaMalloc(&room, 2 * n * 4); have = 2 * n; }
    const float* from = x;
    for (int i = 0; i < 8; ++i) {
        float* to = i == 7 ? out : room + i % 2 * n;
        pw_quads<<<n, 128, 0, stream>>>((const float4*)a, (const float4*)from, to, n);
        from = to;
    }
}
