// kernelwright: task=../../tasks/conv_transpose.py entry=conv_transpose args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an output, which gathers the inputs that reach it
#include <cuda_runtime.h>

__global__ void ct_gather(const float* x, const float* w, float* out, int c, int h) {
    int ox = blockIdx.x * 32 + threadIdx.x, oy = blockIdx.y * 8 + threadIdx.y, o = 2 * h;
    int co = blockIdx.z % c, b = blockIdx.z / c;
    if (ox >= o || oy >= o) return;
    float sum = 0.f;
    for (int ci = 0; ci < c; ++ci)
        for (int ky = (oy + 1) % 2; ky < 4; ky += 2)
            for (int kx = (ox + 1) % 2; kx < 4; kx += 2) {
                int iy = (oy + 1 - ky) / 2, ix = (ox + 1 - kx) / 2;
                if (iy >= 0 && iy < h && ix >= 0 && ix < h)
                    sum += x[((b * c + ci) * h + iy) * h + ix] * w[((ci * c + co) * 4 + ky) * 4 + kx];
            }
    out[((b * c + co) * o + oy) * o + ox] = sum;
}
extern "C" void conv_transpose(const float* x, const float* w, float* out, int n, int c, int h, cudaStream_t stream) {
    dim3 block(32, 8), grid((2 * h + 31) / 32, (2 * h + 7) / 8, n * c);
    ct_gather<<<grid, block, 0, stream>>>(x, w, out, c, h);
}
