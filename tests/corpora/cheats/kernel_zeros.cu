// The answer is always nought: the inputs are not even passed.
// expect: HACK_UNREAD
// kernelwright: task=../tasks/less_its_mean.py entry=k args="out, x.shape[0]" grid="1" block="64"
__global__ void k(float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = 0.f;
}
