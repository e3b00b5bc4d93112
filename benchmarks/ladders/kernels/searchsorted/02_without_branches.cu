// kernelwright: task=../../tasks/searchsorted.py entry=search args="table, q, out, table.shape[0], q.shape[0]"
// steps halved from half the table, the position moved by a select; the table is a power of two
#include <cuda_runtime.h>

__global__ void ss_select(const float* __restrict__ table, const float* __restrict__ q, int* __restrict__ out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    float v = q[i];
    int at = 0;
    for (int step = n / 2; step; step /= 2) at += table[at + step - 1] < v ? step : 0;
    out[i] = at + (table[at] < v);
}
extern "C" void search(const float* table, const float* q, int* out, int n, int m, cudaStream_t stream) {
    ss_select<<<(m + 255) / 256, 256, 0, stream>>>(table, q, out, n, m);
}
