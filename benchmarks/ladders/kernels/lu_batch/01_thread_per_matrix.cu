// kernelwright: task=../../tasks/lu_batch.py entry=lu args="a, out, a.shape[0]"
// copied, then a thread a matrix in global memory
#include <cuda_runtime.h>

__global__ void lu_thread(float* out, int batch) {
    int b = blockIdx.x * 32 + threadIdx.x;
    if (b >= batch) return;
    float* m = out + (size_t)b * 1024;
    for (int k = 0; k < 31; ++k)
        for (int i = k + 1; i < 32; ++i) {
            float f = m[i * 32 + k] / m[k * 33];
            m[i * 32 + k] = f;
            for (int j = k + 1; j < 32; ++j) m[i * 32 + j] -= f * m[k * 32 + j];
        }
}
extern "C" void lu(const float* a, float* out, int batch, cudaStream_t stream) {
    cudaMemcpyAsync(out, a, (size_t)batch * 4096, cudaMemcpyDeviceToDevice, stream);
    lu_thread<<<(batch + 31) / 32, 32, 0, stream>>>(out, batch);
}
