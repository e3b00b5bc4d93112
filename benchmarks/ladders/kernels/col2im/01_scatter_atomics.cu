// kernelwright: task=../../tasks/col2im.py entry=col2im args="cols, out, out.shape[0] * out.shape[1]"
// zeros, then every column entry is added to its pixel by an atomic
#include <cuda_runtime.h>

__global__ void ci_scatter(const float* cols, float* out, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int ox = i % 32, oy = i / 32 % 32, kw = i / 1024 % 4, kh = i / 4096 % 4, plane = i / 16384;
    int x = ox * 2 + kw - 1, y = oy * 2 + kh - 1;
    if (x >= 0 && x < 64 && y >= 0 && y < 64) atomicAdd(&out[(plane * 64 + y) * 64 + x], cols[i]);
}
extern "C" void col2im(const float* cols, float* out, int planes, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, (size_t)planes * 4096 * 4, stream);
    ci_scatter<<<planes * 16384 / 256, 256, 0, stream>>>(cols, out, planes * 16384);
}
