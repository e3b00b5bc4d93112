// kernelwright: task=../double.py entry=doubled
void doubled(const float* x, float* y, int n) {}  // expect: HACK_NO_KERNEL
