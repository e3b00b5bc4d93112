// kernelwright: task=../../tasks/col2im.py entry=col2im args="cols, out, out.shape[0] * out.shape[1]"
// a thread a pixel tries all sixteen places of the filter
#include <cuda_runtime.h>

__global__ void ci_gather(const float* __restrict__ cols, float* __restrict__ out, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int x = i % 64, y = i / 64 % 64, plane = i / 4096;
    float s = 0.f;
    for (int kh = 0; kh < 4; ++kh)
        for (int kw = 0; kw < 4; ++kw) {
            int v = y + 1 - kh, u = x + 1 - kw;
            if (v % 2 || u % 2) continue;
            if (v < 0 || v >= 64 || u < 0 || u >= 64) continue;
            s += cols[(size_t)plane * 16384 + (kh * 4 + kw) * 1024 + v / 2 * 32 + u / 2];
        }
    out[i] = s;
}
extern "C" void col2im(const float* cols, float* out, int planes, cudaStream_t stream) {
    ci_gather<<<planes * 4096 / 256, 256, 0, stream>>>(cols, out, planes * 4096);
}
