// kernelwright: task=../../tasks/kmeans_assign.py entry=assign args="x, c, out, x.shape[0], c.shape[0]"
// two points a thread, one multiply-add a coordinate: half the centre's square minus the product
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) km_norms(const float4* __restrict__ x, const float4* __restrict__ c, int* __restrict__ out) {
    __shared__ float4 s[128 * 8];
    __shared__ float half_square[128];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 128) s[i] = c[i];
    int p = blockIdx.x * 256 + t;
    float4 v[8], w[8];
#pragma unroll
    for (int q = 0; q < 8; ++q) {
        v[q] = x[p * 8 + q];
        w[q] = x[(p + 128) * 8 + q];
    }
    __syncthreads();
    float n = 0.f;
#pragma unroll
    for (int q = 0; q < 8; ++q) {
        float4 u = s[t * 8 + q];
        n += u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w;
    }
    half_square[t] = 0.5f * n;
    __syncthreads();
    float best0 = INFINITY, best1 = INFINITY;
    int at0 = 0, at1 = 0;
    for (int j = 0; j < 128; ++j) {
        float d = half_square[j], e = d;
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            float4 u = s[j * 8 + q];
            d -= v[q].x * u.x;
            e -= w[q].x * u.x;
            d -= v[q].y * u.y;
            e -= w[q].y * u.y;
            d -= v[q].z * u.z;
            e -= w[q].z * u.z;
            d -= v[q].w * u.w;
            e -= w[q].w * u.w;
        }
        if (d < best0) {
            best0 = d;
            at0 = j;
        }
        if (e < best1) {
            best1 = e;
            at1 = j;
        }
    }
    out[p] = at0;
    out[p + 128] = at1;
}
extern "C" void assign(const float* x, const float* c, int* out, int n, int k, cudaStream_t stream) {
    km_norms<<<n / 256, 128, 0, stream>>>((const float4*)x, (const float4*)c, out);
}
