// kernelwright: task=../../tasks/biharmonic_double.py entry=biharmonic args="x, out, x.shape[0], x.shape[1]"
// a tile of 32 x 16 points with a border of two in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) bh_tile(const double* x, double* out, int h, int w) {
    __shared__ double s[20][36];
    int c0 = blockIdx.x * 32 - 2, r0 = blockIdx.y * 16 - 2, t = threadIdx.y * 32 + threadIdx.x;
    for (int i = t; i < 720; i += 512) {
        int r = r0 + i / 36, c = c0 + i % 36;
        s[i / 36][i % 36] = r >= 0 && r < h && c >= 0 && c < w ? x[(size_t)r * w + c] : 0.0;
    }
    __syncthreads();
    int i = threadIdx.y + 2, j = threadIdx.x + 2, r = r0 + i, c = c0 + j;
    if (r >= h || c >= w) return;
    double near = s[i][j + 1] + s[i][j - 1] + s[i + 1][j] + s[i - 1][j];
    double slant = s[i + 1][j + 1] + s[i + 1][j - 1] + s[i - 1][j + 1] + s[i - 1][j - 1];
    double far = s[i][j + 2] + s[i][j - 2] + s[i + 2][j] + s[i - 2][j];
    out[(size_t)r * w + c] = 20 * s[i][j] - 8 * near + 2 * slant + far;
}
extern "C" void biharmonic(const double* x, double* out, int h, int w, cudaStream_t stream) {
    bh_tile<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16), 0, stream>>>(x, out, h, w);
}
