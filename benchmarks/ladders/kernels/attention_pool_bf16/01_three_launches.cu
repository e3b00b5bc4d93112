// kernelwright: task=../../tasks/attention_pool_bf16.py entry=attention_pool args="x, q, out, x.shape[0], x.shape[1]"
// scores, softmax and sum as three launches with the scores in global memory
#include <cuda_bf16.h>

__device__ float ap_score[256 * 512];

__global__ void ap_dots(const __nv_bfloat16* x, const __nv_bfloat16* q, int n) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= n) return;
    float s = 0.f;
    for (int i = lane; i < 256; i += 32) s += __bfloat162float(x[(size_t)r * 256 + i]) * __bfloat162float(q[i]);
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) ap_score[r] = s / 16.f;
}
__global__ void ap_softmax(int t) {
    __shared__ float part[4];
    float* s = ap_score + blockIdx.x * t;
    float m = -1e30f, sum = 0.f;
    for (int i = threadIdx.x; i < t; i += 128) m = fmaxf(m, s[i]);
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
    __syncthreads();
    m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
    __syncthreads();
    for (int i = threadIdx.x; i < t; i += 128) sum += expf(s[i] - m);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = part[0] + part[1] + part[2] + part[3];
    for (int i = threadIdx.x; i < t; i += 128) s[i] = expf(s[i] - m) / sum;
}
__global__ void ap_sum(const __nv_bfloat16* x, float* out, int t) {
    const __nv_bfloat16* p = x + (size_t)blockIdx.x * t * 256 + threadIdx.x;
    float s = 0.f;
    for (int i = 0; i < t; ++i) s += ap_score[blockIdx.x * t + i] * __bfloat162float(p[i * 256]);
    out[blockIdx.x * 256 + threadIdx.x] = s;
}
extern "C" void attention_pool(const __nv_bfloat16* x, const __nv_bfloat16* q, float* out, int b, int t, cudaStream_t stream) {
    ap_dots<<<(b * t + 7) / 8, 256, 0, stream>>>(x, q, b * t);
    ap_softmax<<<b, 128, 0, stream>>>(t);
    ap_sum<<<b, 256, 0, stream>>>(x, out, t);
}
