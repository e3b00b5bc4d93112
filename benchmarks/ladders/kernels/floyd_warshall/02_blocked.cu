// kernelwright: task=../../tasks/floyd_warshall.py entry=floyd_warshall args="x, out, x.shape[0]"
// tiles of 32: the one on the diagonal, its row and column, then the rest
#include <cuda_runtime.h>

__device__ void fw_rounds(float (*c)[33], float (*a)[33], float (*b)[33]) {
    for (int k = 0; k < 32; ++k) {
        float v = a[threadIdx.y][k] + b[k][threadIdx.x];
        if (v < c[threadIdx.y][threadIdx.x]) c[threadIdx.y][threadIdx.x] = v;
        __syncthreads();
    }
}
__global__ void fw_diagonal(float* d, int n, int t) {
    __shared__ float c[32][33];
    size_t at = (size_t)(t * 32 + threadIdx.y) * n + t * 32 + threadIdx.x;
    c[threadIdx.y][threadIdx.x] = d[at];
    __syncthreads();
    fw_rounds(c, c, c);
    d[at] = c[threadIdx.y][threadIdx.x];
}
__global__ void fw_cross(float* d, int n, int t) {
    __shared__ float p[32][33], c[32][33];
    if ((int)blockIdx.x == t) return;
    int by = blockIdx.y ? blockIdx.x : t, bx = blockIdx.y ? t : blockIdx.x;
    p[threadIdx.y][threadIdx.x] = d[(size_t)(t * 32 + threadIdx.y) * n + t * 32 + threadIdx.x];
    size_t at = (size_t)(by * 32 + threadIdx.y) * n + bx * 32 + threadIdx.x;
    c[threadIdx.y][threadIdx.x] = d[at];
    __syncthreads();
    if (blockIdx.y) fw_rounds(c, c, p);
    else fw_rounds(c, p, c);
    d[at] = c[threadIdx.y][threadIdx.x];
}
__global__ void fw_rest(float* d, int n, int t) {
    __shared__ float a[32][33], b[32][33];
    if ((int)blockIdx.x == t || (int)blockIdx.y == t) return;
    int y = blockIdx.y * 32 + threadIdx.y, x = blockIdx.x * 32 + threadIdx.x;
    a[threadIdx.y][threadIdx.x] = d[(size_t)y * n + t * 32 + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = d[(size_t)(t * 32 + threadIdx.y) * n + x];
    __syncthreads();
    float v = d[(size_t)y * n + x];
    for (int k = 0; k < 32; ++k) v = fminf(v, a[threadIdx.y][k] + b[k][threadIdx.x]);
    d[(size_t)y * n + x] = v;
}
extern "C" void floyd_warshall(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemcpyAsync(out, x, sizeof(float) * n * n, cudaMemcpyDeviceToDevice, stream);
    dim3 block(32, 32);
    for (int t = 0; t < n / 32; ++t) {
        fw_diagonal<<<1, block, 0, stream>>>(out, n, t);
        fw_cross<<<dim3(n / 32, 2), block, 0, stream>>>(out, n, t);
        fw_rest<<<dim3(n / 32, n / 32), block, 0, stream>>>(out, n, t);
    }
}
