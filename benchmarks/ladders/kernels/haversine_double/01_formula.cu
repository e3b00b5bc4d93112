// kernelwright: task=../../tasks/haversine_double.py entry=haversine args="a, b, out, out.shape[0]"
// a thread a pair, the formula as it stands
#include <cuda_runtime.h>

__global__ void hv_plain(const double* a, const double* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double s = sin((b[2 * i] - a[2 * i]) / 2), t = sin((b[2 * i + 1] - a[2 * i + 1]) / 2);
    double h = s * s + cos(a[2 * i]) * cos(b[2 * i]) * t * t;
    out[i] = 12742.0 * asin(sqrt(fmin(h, 1.0)));
}
extern "C" void haversine(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    hv_plain<<<(n + 255) / 256, 256, 0, stream>>>(a, b, out, n);
}
