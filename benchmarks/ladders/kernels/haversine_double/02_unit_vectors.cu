// kernelwright: task=../../tasks/haversine_double.py entry=haversine args="a, b, out, out.shape[0]"
// both points turned into unit vectors, the arc cosine of their product
#include <cuda_runtime.h>

__global__ void hv_vectors(const double2* a, const double2* b, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double2 p = a[i], q = b[i];
    double sp, cp, sq, cq, sl, cl, sm, cm;
    sincos(p.x, &sp, &cp);
    sincos(q.x, &sq, &cq);
    sincos(p.y, &sl, &cl);
    sincos(q.y, &sm, &cm);
    double d = sp * sq + cp * cq * (cl * cm + sl * sm);
    out[i] = 6371.0 * acos(fmax(-1.0, fmin(1.0, d)));
}
extern "C" void haversine(const double* a, const double* b, double* out, int n, cudaStream_t stream) {
    hv_vectors<<<(n + 255) / 256, 256, 0, stream>>>((const double2*)a, (const double2*)b, out, n);
}
