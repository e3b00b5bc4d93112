// A graph kept for the same addresses: the kernel runs each time.
// kernelwright: task=../tasks/tanh_small.py entry=tanh_ args="x, out, x.numel()"
#include <cuda_runtime.h>

__global__ void tanh_k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tanhf(x[i]);
}

void tanh_(const float* x, float* y, int n, cudaStream_t s) {
    static cudaGraphExec_t e; static const float* gx; static float* gy; static int gn;
    if (!e || gx != x || gy != y || gn != n) {
        if (e) cudaGraphExecDestroy(e);
        cudaGraph_t g; cudaStream_t c; cudaStreamCreate(&c);
        cudaStreamBeginCapture(c, cudaStreamCaptureModeThreadLocal);
        tanh_k<<<(n + 255) / 256, 256, 0, c>>>(x, y, n);
        cudaStreamEndCapture(c, &g);
        cudaGraphInstantiate(&e, g, nullptr, nullptr, 0);
        cudaGraphDestroy(g); cudaStreamDestroy(c);
        gx = x; gy = y; gn = n;
    }
    cudaGraphLaunch(e, s);
}
