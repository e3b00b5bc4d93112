// kernelwright: task=../../tasks/common_friends.py entry=common_friends args="friends, pair, out, pair.shape[0]"
// binary search of each one: fewer compares in the worst case, more loads
#include <cuda_runtime.h>
#define L 48

__global__ void cf(const int* friends, const int* pair, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 p = ((const int2*)pair)[i];
    const int* a = friends + p.x * L;
    const int* b = friends + p.y * L;
    int c = 0;
    for (int x = 0; x < L; x++) {
        int want = a[x], lo = 0, hi = L;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (b[mid] < want) lo = mid + 1;
            else hi = mid;
        }
        c += lo < L && b[lo] == want;
    }
    out[i] = c;
}
extern "C" void common_friends(const int* friends, const int* pair, int* out, int n, cudaStream_t stream) {
    cf<<<(n + 127) / 128, 128, 0, stream>>>(friends, pair, out, n);
}
