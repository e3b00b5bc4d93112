// kernelwright: task=../../tasks/records_to_planes.py entry=records_to_planes args="x, out, x.shape[0]"
// 1024 records through shared memory, four elements an access
#include <cuda_runtime.h>

__global__ void rp_shared4(const float4* x, float* out, int n) {
    __shared__ __align__(16) float s[1024 * 7];
    size_t base = (size_t)blockIdx.x * 1024;
#pragma unroll
    for (int i = 0; i < 7; ++i) *(float4*)&s[4 * (i * 256 + threadIdx.x)] = x[base / 4 * 7 + i * 256 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 7; ++j) {
        const float* p = &s[threadIdx.x * 28 + j];
        *(float4*)&out[(size_t)j * n + base + 4 * threadIdx.x] = make_float4(p[0], p[7], p[14], p[21]);
    }
}
extern "C" void records_to_planes(const float* x, float* out, int n, cudaStream_t stream) {
    rp_shared4<<<n / 1024, 256, 0, stream>>>((const float4*)x, out, n);
}
