// kernelwright: task=../../tasks/wkv.py entry=wkv args="decay, bonus, k, v, out, k.shape[0], k.shape[1], k.shape[2]"
// sixteen pieces of time: each one's state alone, then its outputs from the joined state of those before; k and v read twice
#include <cuda_runtime.h>

constexpr int PIECES = 16;

struct State { float p, q, o; };

__device__ __forceinline__ void step(State& s, float ww, float kk, float vv) {
    float no = fmaxf(s.o - ww, kk);
    float A = __expf(s.o - ww - no), E = __expf(kk - no);
    s.p = A * s.p + E * vv;
    s.q = A * s.q + E;
    s.o = no;
}

__global__ void __launch_bounds__(512) kernel_forward(const float* __restrict__ w, const float* __restrict__ u, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ y, int B, int T, int C) {
    __shared__ State left[PIECES][32];
    int lane = threadIdx.x % 32, piece = threadIdx.x / 32, len = (T + PIECES - 1) / PIECES;
    int idx = blockIdx.x * 32 + lane;
    bool live = idx < B * C;
    int b = live ? idx / C : 0, c = live ? idx % C : 0;
    float ww = w[c], uu = u[c];
    size_t base = (size_t)b * T * C + c;
    int t0 = min(piece * len, T), t1 = min(t0 + len, T);
    State s = {0.f, 0.f, -1e30f};
#pragma unroll 4
    for (int t = t0; t < t1; t++) step(s, ww, k[base + (size_t)t * C], v[base + (size_t)t * C]);
    left[piece][lane] = s;
    __syncthreads();
    State now = {0.f, 0.f, -1e30f};
    for (int j = 0; j < piece; j++) {
        State r = left[j][lane];
        int steps = min((j + 1) * len, T) - min(j * len, T);
        float o = now.o - steps * ww, no = fmaxf(o, r.o);
        float A = __expf(o - no), E = __expf(r.o - no);
        now.p = A * now.p + E * r.p;
        now.q = A * now.q + E * r.q;
        now.o = no;
    }
    if (!live) return;
#pragma unroll 4
    for (int t = t0; t < t1; t++) {
        size_t i = base + (size_t)t * C;
        float kk = k[i], vv = v[i];
        float no = fmaxf(now.o, uu + kk);
        float A = __expf(now.o - no), E = __expf(uu + kk - no);
        y[i] = __fdividef(A * now.p + E * vv, A * now.q + E);
        step(now, ww, kk, vv);
    }
}

extern "C" void wkv(const float* decay, const float* bonus, const float* k, const float* v, float* out, int B, int T, int C, cudaStream_t stream) {
    kernel_forward<<<(B * C + 31) / 32, 512, 0, stream>>>(decay, bonus, k, v, out, B, T, C);
}
