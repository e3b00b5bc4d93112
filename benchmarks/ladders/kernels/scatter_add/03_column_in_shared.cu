// kernelwright: task=../../tasks/scatter_add.py entry=scatter_add args="x, idx, out, x.shape[0], x.shape[1], out.shape[0]"
// a block 16 columns of the table in shared memory, all rows, eight parts
#include <cuda_runtime.h>

__global__ void sc_shared(const float* x, const int* idx, float* out, int rows, int d, int bins) {
    extern __shared__ float s[];
    int t = threadIdx.x, c0 = blockIdx.x * 16, per = (rows + gridDim.y - 1) / gridDim.y;
    for (int i = t; i < bins * 16; i += blockDim.x) s[i] = 0.f;
    __syncthreads();
    int end = min(rows, (int)(blockIdx.y + 1) * per);
    for (int r = blockIdx.y * per + t / 16; r < end; r += blockDim.x / 16) atomicAdd(&s[idx[r] * 16 + t % 16], x[(size_t)r * d + c0 + t % 16]);
    __syncthreads();
    for (int i = t; i < bins * 16; i += blockDim.x) atomicAdd(&out[i / 16 * d + c0 + i % 16], s[i]);
}
extern "C" void scatter_add(const float* x, const int* idx, float* out, int rows, int d, int bins, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(float) * bins * d, stream);
    sc_shared<<<dim3(d / 16, 32), 512, bins * 16 * sizeof(float), stream>>>(x, idx, out, rows, d, bins);
}
