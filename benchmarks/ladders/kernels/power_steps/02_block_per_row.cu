// kernelwright: task=../../tasks/power_steps.py entry=power_steps args="a, x, out, x.shape[0]"
// a block of 256 a row, a tree in shared memory
#include <cuda_runtime.h>

__global__ void pw_block(const float* a, const float* x, float* y, int n) {
    __shared__ float t[256];
    float s = 0.f;
    for (int i = threadIdx.x; i < n; i += 256) s += a[(size_t)blockIdx.x * n + i] * x[i];
    t[threadIdx.x] = s;
    __syncthreads();
    for (int o = 128; o; o /= 2) {
        if (threadIdx.x < o) t[threadIdx.x] += t[threadIdx.x + o];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = t[0];
}
extern "C" void power_steps(const float* a, const float* x, float* out, int n, cudaStream_t stream) {
    static float* room = nullptr;
    static int have = 0;
    if (have < 2 * n) { if (room) cudaFree(room); cudaMalloc(&room, 2 * n * 4); have = 2 * n; }
    const float* from = x;
    for (int i = 0; i < 8; ++i) {
        float* to = i == 7 ? out : room + i % 2 * n;
        pw_block<<<n, 256, 0, stream>>>(a, from, to, n);
        from = to;
    }
}
