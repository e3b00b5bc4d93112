// kernelwright: task=../../tasks/searchsorted.py entry=search args="table, q, out, table.shape[0], q.shape[0]"
// top levels in shared memory and four searches a thread side by side
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) ss_four(const float* __restrict__ table, const float4* __restrict__ q, int4* __restrict__ out, int n) {
    __shared__ float top[2048];
    int part = n / 2048;
    for (int i = threadIdx.x; i < 2048; i += 512) top[i] = table[(i + 1) * part - 1];
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
        int i = blockIdx.x * 1024 + k * 512 + threadIdx.x, at[4] = {};
        float4 x = q[i];
        float v[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (int step = 1024; step; step /= 2)
#pragma unroll
            for (int j = 0; j < 4; ++j) at[j] += top[at[j] + step - 1] < v[j] ? step : 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) at[j] *= part;
        for (int step = part / 2; step; step /= 2)
#pragma unroll
            for (int j = 0; j < 4; ++j) at[j] += table[at[j] + step - 1] < v[j] ? step : 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) at[j] += table[at[j]] < v[j];
        out[i] = make_int4(at[0], at[1], at[2], at[3]);
    }
}
extern "C" void search(const float* table, const float* q, int* out, int n, int m, cudaStream_t stream) {
    ss_four<<<m / 4096, 512, 0, stream>>>(table, (const float4*)q, (int4*)out, n);
}
