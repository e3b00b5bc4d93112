// kernelwright: task=../../tasks/upsample.py entry=upsample args="x, out, x.shape[0], x.shape[1], x.shape[2]"
// a block an output row: the row's weights once, no divisions
#include <cuda_runtime.h>

__global__ void up_row(const float* x, float* out, int h, int w) {
    int oy = blockIdx.x, p = blockIdx.y;
    float fy = fmaxf(0.f, (oy + 0.5f) * 0.5f - 0.5f);
    int y0 = (int)fy, y1 = min(y0 + 1, h - 1);
    float ay = fy - y0;
    const float *s0 = x + ((size_t)p * h + y0) * w, *s1 = x + ((size_t)p * h + y1) * w;
    for (int ox = threadIdx.x; ox < 2 * w; ox += blockDim.x) {
        float fx = fmaxf(0.f, (ox + 0.5f) * 0.5f - 0.5f);
        int x0 = (int)fx, x1 = min(x0 + 1, w - 1);
        float ax = fx - x0;
        out[((size_t)p * 2 * h + oy) * 2 * w + ox] = (1 - ay) * ((1 - ax) * s0[x0] + ax * s0[x1]) + ay * ((1 - ax) * s1[x0] + ax * s1[x1]);
    }
}
extern "C" void upsample(const float* x, float* out, int p, int h, int w, cudaStream_t stream) {
    up_row<<<dim3(2 * h, p), 256, 0, stream>>>(x, out, h, w);
}
