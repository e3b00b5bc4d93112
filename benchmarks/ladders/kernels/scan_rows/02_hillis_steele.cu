// kernelwright: task=../../tasks/scan_rows.py entry=scan_rows args="x, out, x.shape[0], x.shape[1]"
// a block of 1024 a row, twice 1024 values by doubling distances in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) sr_double(const float* x, float* out, int d) {
    __shared__ float s[2][1024];
    int t = threadIdx.x;
    float carry = 0.f;
    for (int from = 0; from < d; from += 1024) {
        int in = 0;
        s[0][t] = x[(size_t)blockIdx.x * d + from + t];
        __syncthreads();
        for (int o = 1; o < 1024; o *= 2) {
            s[in ^ 1][t] = s[in][t] + (t >= o ? s[in][t - o] : 0.f);
            in ^= 1;
            __syncthreads();
        }
        out[(size_t)blockIdx.x * d + from + t] = s[in][t] + carry;
        carry += s[in][1023];
        __syncthreads();
    }
}
extern "C" void scan_rows(const float* x, float* out, int rows, int d, cudaStream_t stream) {
    sr_double<<<rows, 1024, 0, stream>>>(x, out, d);
}
