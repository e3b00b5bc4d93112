// kernelwright: task=../../tasks/lu_batch.py entry=lu args="a, out, a.shape[0]"
// a warp a matrix in shared memory, a lane a column, no barriers of the block
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) lu_warp(const float* __restrict__ a, float* __restrict__ out) {
    __shared__ float mem[4][32][33];
    int lane = threadIdx.x % 32;
    float(*m)[33] = mem[threadIdx.x / 32];
    size_t base = (size_t)(blockIdx.x * 4 + threadIdx.x / 32) * 1024 + lane;
    for (int i = 0; i < 32; ++i) m[i][lane] = a[base + i * 32];
    __syncwarp();
    for (int k = 0; k < 31; ++k) {
        if (lane > k) m[lane][k] /= m[k][k];
        __syncwarp();
        float top = m[k][lane];
        if (lane > k)
            for (int i = k + 1; i < 32; ++i) m[i][lane] -= m[i][k] * top;
        __syncwarp();
    }
    for (int i = 0; i < 32; ++i) out[base + i * 32] = m[i][lane];
}
extern "C" void lu(const float* a, float* out, int batch, cudaStream_t stream) {
    lu_warp<<<batch / 4, 128, 0, stream>>>(a, out);
}
