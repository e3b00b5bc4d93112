// kernelwright: task=../../tasks/wkv.py entry=wkv args="decay, bonus, k, v, out, k.shape[0], k.shape[1], k.shape[2]"
// eight steps are loaded before they are used
#include <cuda_runtime.h>

__global__ void kernel_forward(const float* __restrict__ w, const float* __restrict__ u, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ y, int B, int T, int C) {
    int idx = blockIdx.x * 32 + threadIdx.x;
    if (idx >= B * C) return;
    int b = idx / C, c = idx % C;
    float ww = w[c], uu = u[c];
    float p = 0.f, q = 0.f, o = -1e30f;
    size_t i = (size_t)b * T * C + c;
    for (int t0 = 0; t0 < T; t0 += 8) {
        float kb[8], vb[8];
#pragma unroll
        for (int s = 0; s < 8; s++) {
            bool in = t0 + s < T;
            kb[s] = in ? k[i + (size_t)s * C] : 0.f;
            vb[s] = in ? v[i + (size_t)s * C] : 0.f;
        }
#pragma unroll
        for (int s = 0; s < 8; s++) {
            if (t0 + s >= T) break;
            float kk = kb[s], vv = vb[s];
            float no = fmaxf(o, uu + kk);
            float A = __expf(o - no), E = __expf(uu + kk - no);
            y[i + (size_t)s * C] = __fdividef(A * p + E * vv, A * q + E);
            no = fmaxf(o - ww, kk);
            A = __expf(o - ww - no);
            E = __expf(kk - no);
            p = A * p + E * vv;
            q = A * q + E;
            o = no;
        }
        i += (size_t)8 * C;
    }
}

extern "C" void wkv(const float* decay, const float* bonus, const float* k, const float* v, float* out, int B, int T, int C, cudaStream_t stream) {
    kernel_forward<<<(B * C + 31) / 32, 32, 0, stream>>>(decay, bonus, k, v, out, B, T, C);
}
