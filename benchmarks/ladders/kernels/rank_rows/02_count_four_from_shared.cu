// kernelwright: task=../../tasks/rank_rows.py entry=rank_rows args="x, out, x.shape[0]"
// the row in shared memory read by four, four elements a thread
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) rr_shared(const float4* __restrict__ x, int4* __restrict__ out) {
    __shared__ float4 s[128];
    int t = threadIdx.x, n[4] = {};
    float4 q = x[blockIdx.x * 128 + t];
    s[t] = q;
    __syncthreads();
    float v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll 4
    for (int j = 0; j < 128; ++j) {
        float4 u = s[j];
        float e[4] = {u.x, u.y, u.z, u.w};
        if (j == t) {
#pragma unroll
            for (int a = 0; a < 4; ++a)
#pragma unroll
                for (int b = 0; b < 4; ++b) n[a] += e[b] < v[a] || (e[b] == v[a] && b < a);
        } else {
#pragma unroll
            for (int a = 0; a < 4; ++a)
#pragma unroll
                for (int b = 0; b < 4; ++b) n[a] += j < t ? e[b] <= v[a] : e[b] < v[a];
        }
    }
    out[blockIdx.x * 128 + t] = make_int4(n[0], n[1], n[2], n[3]);
}
extern "C" void rank_rows(const float* x, int* out, int rows, cudaStream_t stream) {
    rr_shared<<<rows, 128, 0, stream>>>((const float4*)x, (int4*)out);
}
