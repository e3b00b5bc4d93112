// kernelwright: task=../../tasks/softmax_half.py entry=softmax_half args="x, out, x.shape[0], x.shape[1]"
// a block of 256 a row, three passes over scalar halves, trees in shared memory
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void sh_tree(const __half* x, __half* out, int d) {
    __shared__ float s[256];
    int t = threadIdx.x;
    const __half* row = x + (size_t)blockIdx.x * d;
    float m = -1e30f, l = 0.f;
    for (int i = t; i < d; i += 256) m = fmaxf(m, __half2float(row[i]));
    s[t] = m;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) { if (t < o) s[t] = fmaxf(s[t], s[t + o]); __syncthreads(); }
    m = s[0];
    __syncthreads();
    for (int i = t; i < d; i += 256) l += expf(__half2float(row[i]) - m);
    s[t] = l;
    __syncthreads();
    for (int o = 128; o > 0; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    l = s[0];
    for (int i = t; i < d; i += 256) out[(size_t)blockIdx.x * d + i] = __float2half(expf(__half2float(row[i]) - m) / l);
}
extern "C" void softmax_half(const __half* x, __half* out, int rows, int d, cudaStream_t stream) {
    sh_tree<<<rows, 256, 0, stream>>>(x, out, d);
}
