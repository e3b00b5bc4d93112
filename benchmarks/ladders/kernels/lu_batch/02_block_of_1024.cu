// kernelwright: task=../../tasks/lu_batch.py entry=lu args="a, out, a.shape[0]"
// a thread an element, the matrix in shared memory, two barriers a step
#include <cuda_runtime.h>

__global__ void lu_block(const float* a, float* out) {
    __shared__ float m[32][32];
    int j = threadIdx.x, i = threadIdx.y;
    size_t at = (size_t)blockIdx.x * 1024 + i * 32 + j;
    m[i][j] = a[at];
    __syncthreads();
    for (int k = 0; k < 31; ++k) {
        if (j == k && i > k) m[i][k] /= m[k][k];
        __syncthreads();
        if (i > k && j > k) m[i][j] -= m[i][k] * m[k][j];
        __syncthreads();
    }
    out[at] = m[i][j];
}
extern "C" void lu(const float* a, float* out, int batch, cudaStream_t stream) {
    lu_block<<<batch, dim3(32, 32), 0, stream>>>(a, out);
}
