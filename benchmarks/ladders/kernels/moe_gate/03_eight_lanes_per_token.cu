// kernelwright: task=../../tasks/moe_gate.py entry=gate args="logits, out, logits.shape[0]"
// eight lanes a token, two float4 a lane, pairs of best merged in three shuffles
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) mg_eight(const float4* __restrict__ logits, float4* __restrict__ out, int t) {
    int i = (blockIdx.x * 256 + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (i >= t) return;
    float4 p = logits[i * 16 + lane], q = logits[i * 16 + 8 + lane];
    float v[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w}, first = v[0], second = -INFINITY;
    int a = lane * 4, b = 0;
#pragma unroll
    for (int e = 1; e < 8; ++e) {
        int at = lane * 4 + e % 4 + e / 4 * 32;
        if (v[e] > first) {
            second = first;
            b = a;
            first = v[e];
            a = at;
        } else if (v[e] > second) {
            second = v[e];
            b = at;
        }
    }
#pragma unroll
    for (int o = 4; o; o /= 2) {
        float f = __shfl_xor_sync(~0u, first, o), s = __shfl_xor_sync(~0u, second, o);
        int fa = __shfl_xor_sync(~0u, a, o), sa = __shfl_xor_sync(~0u, b, o);
        bool other = f > first || (f == first && fa < a);
        float lose = other ? first : f, mine = other ? s : second;
        int la = other ? a : fa, ma = other ? sa : b;
        if (other) {
            first = f;
            a = fa;
        }
        bool lost = lose > mine || (lose == mine && la < ma);
        second = lost ? lose : mine;
        b = lost ? la : ma;
    }
    if (lane == 0) {
        float w = 1.f / (1.f + __expf(second - first));
        out[i] = make_float4(w, 1.f - w, (float)a, (float)b);
    }
}
extern "C" void gate(const float* logits, float* out, int t, cudaStream_t stream) {
    mg_eight<<<(t + 31) / 32, 256, 0, stream>>>((const float4*)logits, (float4*)out, t);
}
