// kernelwright: task=../../tasks/alibi_attention.py entry=alibi args="q, k, v, slope, out, q.shape[0], q.shape[1]"
// one launch: a thread keeps a query and its sums in registers, tiles of 32 keys and values in shared memory
#include <cuda_runtime.h>
#include <math.h>

__global__ void __launch_bounds__(64) al_thread(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, const float* __restrict__ slope, float* __restrict__ out, int S) {
    __shared__ float4 ks[32][16], vs[32][16];
    int h = blockIdx.y, i = blockIdx.x * 64 + threadIdx.x;
    float4 qr[16], acc[16];
    const float4* qp = (const float4*)(q + ((size_t)h * S + i) * 64);
#pragma unroll
    for (int d = 0; d < 16; d++) {
        qr[d] = qp[d];
        acc[d] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float m = -1e30f, l = 0.f, a = slope[h];
    int last = blockIdx.x * 64 + 63;
    for (int j0 = 0; j0 <= last; j0 += 32) {
        const float4* kp = (const float4*)(k + ((size_t)h * S + j0) * 64);
        const float4* vp = (const float4*)(v + ((size_t)h * S + j0) * 64);
        __syncthreads();
        for (int c = threadIdx.x; c < 512; c += 64) {
            ks[c / 16][c % 16] = kp[c];
            vs[c / 16][c % 16] = vp[c];
        }
        __syncthreads();
        for (int j = 0; j < 32 && j0 + j <= i; j++) {
            float s = 0.f;
#pragma unroll
            for (int d = 0; d < 16; d++) {
                float4 u = ks[j][d];
                s += qr[d].x * u.x + qr[d].y * u.y + qr[d].z * u.z + qr[d].w * u.w;
            }
            s = s * 0.125f - a * (i - j0 - j);
            float n = fmaxf(m, s), f = __expf(m - n), p = __expf(s - n);
            l = l * f + p;
            m = n;
#pragma unroll
            for (int d = 0; d < 16; d++) {
                float4 u = vs[j][d];
                acc[d].x = acc[d].x * f + p * u.x;
                acc[d].y = acc[d].y * f + p * u.y;
                acc[d].z = acc[d].z * f + p * u.z;
                acc[d].w = acc[d].w * f + p * u.w;
            }
        }
    }
    float inv = 1.f / l;
    float4* op = (float4*)(out + ((size_t)h * S + i) * 64);
#pragma unroll
    for (int d = 0; d < 16; d++) op[d] = make_float4(acc[d].x * inv, acc[d].y * inv, acc[d].z * inv, acc[d].w * inv);
}
extern "C" void alibi(const float* q, const float* k, const float* v, const float* slope, float* out, int H, int S, cudaStream_t stream) {
    al_thread<<<dim3(S / 64, H), 64, 0, stream>>>(q, k, v, slope, out, S);
}
