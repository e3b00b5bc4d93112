// kernelwright: task=../../tasks/hamming.py entry=hamming args="x, queries, out, x.shape[0], queries.shape[0]"
// a thread a row, both sides loaded word by word
#include <cuda_runtime.h>

__global__ void hm_words(const int* x, const int* q, int* out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int least = 256;
    for (int j = 0; j < m; ++j) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += __popc(x[i * 8 + k] ^ q[j * 8 + k]);
        least = min(least, sum);
    }
    out[i] = least;
}
extern "C" void hamming(const int* x, const int* queries, int* out, int n, int m, cudaStream_t stream) {
    hm_words<<<(n + 255) / 256, 256, 0, stream>>>(x, queries, out, n, m);
}
