// kernelwright: task=../../tasks/xnor_gemm.py entry=xnor args="a, b, out, a.shape[0], b.shape[0], a.shape[1]"
// a thread an output, both rows from global memory
#include <cuda_runtime.h>

__global__ void xg_global(const int* a, const int* b, int* out, int m, int n, int k) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m || c >= n) return;
    int s = 0;
    for (int i = 0; i < k; ++i) s += __popc(a[r * k + i] ^ b[c * k + i]);
    out[r * n + c] = 32 * k - 2 * s;
}
extern "C" void xnor(const int* a, const int* b, int* out, int m, int n, int k, cudaStream_t stream) {
    xg_global<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16), 0, stream>>>(a, b, out, m, n, k);
}
