// kernelwright: task=../../tasks/wkv.py entry=wkv args="decay, bonus, k, v, out, k.shape[0], k.shape[1], k.shape[2]"
// one thread per (batch, channel), as in the RWKV repository's first kernel
#include <cuda_runtime.h>

__global__ void kernel_forward(const float* w, const float* u, const float* k, const float* v, float* y, int B, int T, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * C) return;
    int b = idx / C, c = idx % C;
    float p = 0.f, q = 0.f, o = -1e30f;
    for (int t = 0; t < T; t++) {
        int i = (b * T + t) * C + c;
        float kk = k[i], vv = v[i];
        float no = fmaxf(o, u[c] + kk);
        float A = expf(o - no), E = expf(u[c] + kk - no);
        y[i] = (A * p + E * vv) / (A * q + E);
        no = fmaxf(o - w[c], kk);
        A = expf(o - w[c] - no);
        E = expf(kk - no);
        p = A * p + E * vv;
        q = A * q + E;
        o = no;
    }
}

extern "C" void wkv(const float* decay, const float* bonus, const float* k, const float* v, float* out, int B, int T, int C, cudaStream_t stream) {
    kernel_forward<<<(B * C + 255) / 256, 256, 0, stream>>>(decay, bonus, k, v, out, B, T, C);
}
