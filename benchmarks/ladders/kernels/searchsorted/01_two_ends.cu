// kernelwright: task=../../tasks/searchsorted.py entry=search args="table, q, out, table.shape[0], q.shape[0]"
// the textbook loop with two ends and a branch
#include <cuda_runtime.h>

__global__ void ss_ends(const float* table, const float* q, int* out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    float v = q[i];
    int low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (table[mid] < v)
            low = mid + 1;
        else
            high = mid;
    }
    out[i] = low;
}
extern "C" void search(const float* table, const float* q, int* out, int n, int m, cudaStream_t stream) {
    ss_ends<<<(m + 255) / 256, 256, 0, stream>>>(table, q, out, n, m);
}
