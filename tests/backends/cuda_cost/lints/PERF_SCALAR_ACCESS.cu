// Bytes are inverted one by one, and sixteen at once.
__global__ void one_by_one(const unsigned char* x, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ~x[i];  // expect
}
void wasteful(const unsigned char* x, unsigned char* out, int n) { one_by_one<<<(n + 255) / 256, 256>>>(x, out, n); }
__global__ void at_once(const uint4* x, uint4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 v = x[i];
  out[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
}
void thrifty(const unsigned char* x, unsigned char* out, int n) {
  at_once<<<(n / 16 + 255) / 256, 256>>>((const uint4*)x, (uint4*)out, n / 16);
}
// Rows of an odd number of bytes begin where no wider access may.
__global__ void beside(const unsigned char* x, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) out[i + 1] = ~x[i + 1];
}
void meant(const unsigned char* x, unsigned char* out, int n) { beside<<<(n + 255) / 256, 256>>>(x, out, n); }
