// Every thread fills the whole array with the same values and reads them back: nobody can see another's store.
#include <cstdio>

__global__ void softmax_loss(const float* logits, int label, float* loss, int n) {
  extern __shared__ float exponentials[];
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    exponentials[i] = expf(logits[i]);
    sum += exponentials[i];
  }
  *loss = -logf(exponentials[label] / sum);
}

int main() {
  const int n = 6;
  float h[n], *x, *y;
  for (int i = 0; i < n; ++i) h[i] = 0.25f * i;
  if (cudaMalloc(&x, sizeof h) || cudaMalloc(&y, sizeof(float))) return 1;
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  softmax_loss<<<1, n, sizeof h>>>(x, 2, y, n);
  if (cudaGetLastError()) return 1;
  cudaMemcpy(h, y, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", h[0]);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
