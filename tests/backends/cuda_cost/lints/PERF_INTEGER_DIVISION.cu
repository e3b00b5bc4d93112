// A sum over a window that is stored in a ring: the place divided at every step, and counted on.
__global__ void divided(const float* x, float* out, int n, int ring) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += x[(i + k) % ring];  // expect
  out[i] = sum;
}
void wasteful(const float* x, float* out, int n, int ring) { divided<<<(n + 255) / 256, 256>>>(x, out, n, ring); }
__global__ void counted(const float* x, float* out, int n, int ring) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  int at = i % ring;
  for (int k = 0; k < 64; ++k) {
    sum += x[at];
    if (++at == ring) at = 0;
  }
  out[i] = sum;
}
void thrifty(const float* x, float* out, int n, int ring) { counted<<<(n + 255) / 256, 256>>>(x, out, n, ring); }
// By a number that the compiler knows.
template <int kRing>
__global__ void known(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += x[(i + k) % kRing];
  out[i] = sum;
}
void meant(const float* x, float* out, int n, int) { known<1000><<<(n + 255) / 256, 256>>>(x, out, n); }
