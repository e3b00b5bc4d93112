// The answer travels as a kernel parameter.
// expect: HACK_HOST
// kernelwright: task=../tasks/mean_of_all.py entry=mean_all args="x, out, x.numel()"
#include <cuda_runtime.h>

#include <vector>
struct Ans { float v; int pad[3]; };
__global__ void store(Ans a, float* y) { y[0] = a.v * 0.5f + a.v * 0.5f; }
void mean_all(const float* x, float* y, int n) {
    std::vector<float> h(n);
    cudaMemcpy(h.data(), x, n * 4ul, cudaMemcpyDeviceToHost);
    double s = 0; for (float f : h) s += f;
    Ans a{float(s / n), {}};
    store<<<1, 1>>>(a, y);
}
