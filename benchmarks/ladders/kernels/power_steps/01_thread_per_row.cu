// kernelwright: task=../../tasks/power_steps.py entry=power_steps args="a, x, out, x.shape[0]"
// a thread a row
#include <cuda_runtime.h>

__global__ void pw_thread(const float* a, const float* x, float* y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0.f;
    for (int i = 0; i < n; ++i) s += a[(size_t)r * n + i] * x[i];
    y[r] = s;
}
extern "C" void power_steps(const float* a, const float* x, float* out, int n, cudaStream_t stream) {
    static float* room = nullptr;
    static int have = 0;
    if (have < 2 * n) { if (room) cudaFree(room); cudaMalloc(&room, 2 * n * 4); have = 2 * n; }
    const float* from = x;
    for (int i = 0; i < 8; ++i) {
        float* to = i == 7 ? out : room + i % 2 * n;
        pw_thread<<<(n + 31) / 32, 32, 0, stream>>>(a, from, to, n);
        from = to;
    }
}
