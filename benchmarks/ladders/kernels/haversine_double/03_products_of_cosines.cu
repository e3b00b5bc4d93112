// kernelwright: task=../../tasks/haversine_double.py entry=haversine args="a, b, out, out.shape[0]"
// three cosines: cos u cos v and the haversines of the differences by 1 - cos
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128) hv_cosines(const double2* __restrict__ a, const double2* __restrict__ b, double* __restrict__ out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    double2 p = a[i], q = b[i];
    double minus = cos(p.x - q.x), plus = cos(p.x + q.x), turn = cos(p.y - q.y);
    double h = 0.5 * (1 - minus) + 0.25 * (minus + plus) * (1 - turn);
    out[i] = 12742.0 * asin(sqrt(fmin(h, 1.0)));
}
extern "C" void haversine(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    hv_cosines<<<(n + 127) / 128, 128, 0, stream>>>((const double2*)a, (const double2*)b, out, n);
}
