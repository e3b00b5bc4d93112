// kernelwright: task=../../tasks/records_to_planes.py entry=records_to_planes args="x, out, x.shape[0]"
// a thread a record, all seven loads at once
#include <cuda_runtime.h>

struct Record { float v[7]; };
__global__ void rp_record(const Record* x, float* out, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    Record v = x[r];
#pragma unroll
    for (int j = 0; j < 7; ++j) out[(size_t)j * n + r] = v.v[j];
}
extern "C" void records_to_planes(const float* x, float* out, int n, cudaStream_t stream) {
    rp_record<<<(n + 255) / 256, 256, 0, stream>>>((const Record*)x, out, n);
}
