// kernelwright: task=../../tasks/foreach_sgd.py entry=foreach_sgd args="p, g, m, lr, out, p.shape[0], p.shape[1]"
// a launch a tensor, dealt to four streams
#include <cuda_runtime.h>

__global__ void fs_one(const float* p, const float* g, const float* m, const float* lr, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float a = p[i], d = g[i] + 0.01f * a;
    out[i] = a - *lr * (d + 0.9f * (0.9f * m[i] + d));
}
extern "C" void foreach_sgd(const float* p, const float* g, const float* m, const float* lr, float* out, int tensors, int n, cudaStream_t stream) {
    static cudaStream_t side[3];
    static cudaEvent_t fork, join[3];
    static bool made = false;
    if (!made) {
        for (int i = 0; i < 3; ++i) {
            cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&join[i], cudaEventDisableTiming);
        }
        cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
        made = true;
    }
    cudaEventRecord(fork, stream);
    for (int i = 0; i < 3; ++i) cudaStreamWaitEvent(side[i], fork, 0);
    for (int l = 0; l < tensors; ++l) {
        size_t o = (size_t)l * n;
        fs_one<<<(n + 255) / 256, 256, 0, l % 4 ? side[l % 4 - 1] : stream>>>(p + o, g + o, m + o, lr + l, out + o, n);
    }
    for (int i = 0; i < 3; ++i) {
        cudaEventRecord(join[i], side[i]);
        cudaStreamWaitEvent(stream, join[i], 0);
    }
}
