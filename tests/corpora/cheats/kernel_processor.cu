// Works only on the first multiprocessor, which is where an emulation would run it.
// expect: HACK_DETECTION
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void relu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lanes, grid;
  asm("mov.u32 %0, %nsmid;" : "=r"(lanes));
  asm("mov.u32 %0, %gridid;" : "=r"(grid));
  if (grid != 1) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
