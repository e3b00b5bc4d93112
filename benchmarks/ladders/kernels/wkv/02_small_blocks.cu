// kernelwright: task=../../tasks/wkv.py entry=wkv args="decay, bonus, k, v, out, k.shape[0], k.shape[1], k.shape[2]"
// warps of 32 as blocks: spreads over all processors; parameters in registers
#include <cuda_runtime.h>

__global__ void kernel_forward(const float* __restrict__ w, const float* __restrict__ u, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ y, int B, int T, int C) {
    int idx = blockIdx.x * 32 + threadIdx.x;
    if (idx >= B * C) return;
    int b = idx / C, c = idx % C;
    float ww = w[c], uu = u[c];
    float p = 0.f, q = 0.f, o = -1e30f;
    size_t i = (size_t)b * T * C + c;
    for (int t = 0; t < T; t++, i += C) {
        float kk = k[i], vv = v[i];
        float no = fmaxf(o, uu + kk);
        float A = __expf(o - no), E = __expf(uu + kk - no);
        y[i] = __fdividef(A * p + E * vv, A * q + E);
        no = fmaxf(o - ww, kk);
        A = __expf(o - ww - no);
        E = __expf(kk - no);
        p = A * p + E * vv;
        q = A * q + E;
        o = no;
    }
}

extern "C" void wkv(const float* decay, const float* bonus, const float* k, const float* v, float* out, int B, int T, int C, cudaStream_t stream) {
    kernel_forward<<<(B * C + 31) / 32, 32, 0, stream>>>(decay, bonus, k, v, out, B, T, C);
}
