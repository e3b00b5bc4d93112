// kernelwright: task=../../tasks/trmm.py entry=trmm args="low, b, out, b.shape[0], b.shape[1]"
// tiles of 16 x 16, the whole depth, zeros put in where the row ends
#include <cuda_runtime.h>

__global__ void tm_masked(const float* low, const float* b, float* out, int n, int m) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
    float s = 0.f;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = k + x <= r ? low[(size_t)r * n + k + x] : 0.f;
        bs[y][x] = b[(size_t)(k + y) * m + c];
        __syncthreads();
        for (int i = 0; i < 16; ++i) s += as[y][i] * bs[i][x];
        __syncthreads();
    }
    out[(size_t)r * m + c] = s;
}
extern "C" void trmm(const float* low, const float* b, float* out, int n, int m, cudaStream_t stream) {
    tm_masked<<<dim3(m / 16, n / 16), dim3(16, 16), 0, stream>>>(low, b, out, n, m);
}
