// kernelwright: task=../../tasks/biharmonic_double.py entry=biharmonic args="x, out, x.shape[0], x.shape[1]"
// a thread a point, thirteen loads, each with its test
#include <cuda_runtime.h>

__device__ double bh_at(const double* x, int h, int w, int r, int c) { return r >= 0 && r < h && c >= 0 && c < w ? x[(size_t)r * w + c] : 0.0; }
__global__ void bh_plain(const double* x, double* out, int h, int w) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= h || c >= w) return;
    double near = bh_at(x, h, w, r, c + 1) + bh_at(x, h, w, r, c - 1) + bh_at(x, h, w, r + 1, c) + bh_at(x, h, w, r - 1, c);
    double slant = bh_at(x, h, w, r + 1, c + 1) + bh_at(x, h, w, r + 1, c - 1) + bh_at(x, h, w, r - 1, c + 1) + bh_at(x, h, w, r - 1, c - 1);
    double far = bh_at(x, h, w, r, c + 2) + bh_at(x, h, w, r, c - 2) + bh_at(x, h, w, r + 2, c) + bh_at(x, h, w, r - 2, c);
    out[(size_t)r * w + c] = 20 * x[(size_t)r * w + c] - 8 * near + 2 * slant + far;
}
extern "C" void biharmonic(const double* x, double* out, int h, int w, cudaStream_t stream) {
    bh_plain<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(x, out, h, w);
}
