// kernelwright: task=../../tasks/conv_transpose.py entry=conv_transpose args="x, w, out, x.shape[0], x.shape[1], x.shape[2]"
// a thread an input, which adds to all outputs that it reaches
#include <cuda_runtime.h>

__global__ void ct_scatter(const float* x, const float* w, float* out, int n, int c, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * c * h * h) return;
    int ix = i % h, iy = i / h % h, ci = i / (h * h) % c, b = i / (h * h * c), o = 2 * h;
    float v = x[i];
    for (int co = 0; co < c; ++co)
        for (int ky = 0; ky < 4; ++ky)
            for (int kx = 0; kx < 4; ++kx) {
                int oy = 2 * iy - 1 + ky, ox = 2 * ix - 1 + kx;
                if (oy >= 0 && oy < o && ox >= 0 && ox < o)
                    atomicAdd(&out[((b * c + co) * o + oy) * o + ox], v * w[((ci * c + co) * 4 + ky) * 4 + kx]);
            }
}
extern "C" void conv_transpose(const float* x, const float* w, float* out, int n, int c, int h, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float) * n * c * 4 * h * h, stream);
    ct_scatter<<<(n * c * h * h + 255) / 256, 256, 0, stream>>>(x, w, out, n, c, h);
}
