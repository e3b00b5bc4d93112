// kernelwright: task=../../tasks/floyd_warshall.py entry=floyd_warshall args="x, out, x.shape[0]"
// a launch a place
#include <cuda_runtime.h>

__global__ void fw_step(float* d, int n, int k) {
    int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
    if (i < n && j < n && i != k && j != k) d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
extern "C" void floyd_warshall(const float* x, float* out, int n, cudaStream_t stream) {
    cudaMemcpyAsync(out, x, sizeof(float) * n * n, cudaMemcpyDeviceToDevice, stream);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    for (int k = 0; k < n; ++k) fw_step<<<grid, block, 0, stream>>>(out, n, k);
}
