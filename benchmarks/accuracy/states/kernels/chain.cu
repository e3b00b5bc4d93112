// kernelwright: task=../task.py entry=chain args="x, out, x.shape[0]"
// every load's address waits for the load before, which comes from the L2
#include <cuda_runtime.h>

__global__ void st_chain(const float* x, float* out, int n) {
    int part = n / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int at = i % part;
        for (int k = 0; k < 8; ++k) {
            at += 4096 + (__ldcg(x + at) > 1e30f);
            at = at < part ? at : at - part;
        }
        out[i] = at < 0 ? 0.f : x[i];
    }
}
extern "C" void chain(const float* x, float* out, int n, cudaStream_t stream) {
    st_chain<<<1320, 128, 0, stream>>>(x, out, n);
}
