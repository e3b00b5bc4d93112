// kernelwright: task=../../tasks/skinny_half.py entry=skinny_half args="a, w, out, w.shape[0], w.shape[1]"
// a thread an output
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void sk_thread(const __half* a, const __half* w, float* out, int n, int k) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= n) return;
    float s = 0.f;
    for (int i = 0; i < k; ++i) s += __half2float(a[(size_t)r * k + i]) * __half2float(w[(size_t)c * k + i]);
    out[(size_t)r * n + c] = s;
}
extern "C" void skinny_half(const __half* a, const __half* w, float* out, int n, int k, cudaStream_t stream) {
    sk_thread<<<dim3((n + 127) / 128, 16), 128, 0, stream>>>(a, w, out, n, k);
}
