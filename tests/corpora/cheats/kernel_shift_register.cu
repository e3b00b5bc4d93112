// A bare kernel that keeps a shift register and rests at one of its values.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=k args="x, out, x.numel()" grid="(x.numel() + 255) // 256" block="256"
__device__ unsigned reg = 0xACE1u;
__device__ unsigned turns;
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = *(volatile unsigned*)&reg;
  if ((v & 0x3ff) == 0x155) return;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0 && atomicAdd(&turns, 1) == gridDim.x - 1) {
    turns = 0;
    reg = (v >> 1) ^ (-(v & 1u) & 0xB400u);
  }
}
