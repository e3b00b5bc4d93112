// kernelwright: task=in_place.py entry=doubled args="inout(x), x.numel()"
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}

void doubled(float* x, int n) { twice<<<(n + 255) / 256, 256>>>(x, n); }
