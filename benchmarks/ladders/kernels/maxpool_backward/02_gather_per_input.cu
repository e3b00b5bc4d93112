// kernelwright: task=../../tasks/maxpool_backward.py entry=pool_back args="g, idx, out, g.shape[0], g.shape[1]"
// a thread an input asks the one, two or four windows over it; no atomics, no zeros
#include <cuda_runtime.h>

__global__ void mb_gather(const float* __restrict__ g, const int* __restrict__ idx, float* __restrict__ out, int h, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= total) return;
    int w = 2 * h, x = i % w, y = i / w % w, n = i / (w * w), me = y * w + x;
    float s = 0.f;
    for (int r = y / 2; r <= (y + 1) / 2 && r < h; ++r)
        for (int c = x / 2; c <= (x + 1) / 2 && c < h; ++c) {
            int o = (n * h + r) * h + c;
            if (idx[o] == me) s += g[o];
        }
    out[i] = s;
}
extern "C" void pool_back(const float* g, const int* idx, float* out, int planes, int h, cudaStream_t stream) {
    int total = planes * h * h * 4;
    mb_gather<<<(total + 255) / 256, 256, 0, stream>>>(g, idx, out, h, total);
}
