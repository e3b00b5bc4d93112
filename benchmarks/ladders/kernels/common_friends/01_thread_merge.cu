// kernelwright: task=../../tasks/common_friends.py entry=common_friends args="friends, pair, out, pair.shape[0]"
// merge of two sorted lists by one thread
#include <cuda_runtime.h>
#define L 48

__global__ void cf(const int* friends, const int* pair, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int* a = friends + pair[2 * i] * L;
    const int* b = friends + pair[2 * i + 1] * L;
    int x = 0, y = 0, c = 0;
    while (x < L && y < L) {
        if (a[x] < b[y]) x++;
        else if (a[x] > b[y]) y++;
        else { c++; x++; }
    }
    out[i] = c;
}
extern "C" void common_friends(const int* friends, const int* pair, int* out, int n, cudaStream_t stream) {
    cf<<<(n + 127) / 128, 128, 0, stream>>>(friends, pair, out, n);
}
