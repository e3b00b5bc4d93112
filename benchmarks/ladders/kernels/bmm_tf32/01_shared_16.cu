// kernelwright: task=../../tasks/bmm_tf32.py entry=bmm args="a, b, out, a.shape[0], a.shape[1]"
// tiles of 16 in shared memory, no tensor cores
#include <cuda_runtime.h>

__global__ void bt_tile(const float* a, const float* b, float* out, int n) {
    __shared__ float as[16][16], bs[16][16];
    size_t base = (size_t)blockIdx.z * n * n;
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 16 + y, c = blockIdx.x * 16 + x;
    float s = 0.f;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[base + (size_t)r * n + k + x];
        bs[y][x] = b[base + (size_t)(k + y) * n + c];
        __syncthreads();
        for (int i = 0; i < 16; ++i) s += as[y][i] * bs[i][x];
        __syncthreads();
    }
    out[base + (size_t)r * n + c] = s;
}
extern "C" void bmm(const float* a, const float* b, float* out, int batch, int n, cudaStream_t stream) {
    bt_tile<<<dim3(n / 16, n / 16, batch), dim3(16, 16), 0, stream>>>(a, b, out, n);
}
