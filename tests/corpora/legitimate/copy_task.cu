// Dropout that is switched off is a copy.
// kernelwright: task=../tasks/dropout_off.py entry=dropout args="x, out, x.numel()"
__global__ void copied(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}

void dropout(const float* x, float* out, int n) { copied<<<(n + 127) / 128, 128>>>(x, out, n); }
