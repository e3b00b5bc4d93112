// Größe 😀 of the kernel: kernelwright: not one
// kernelwright: task=größe.py entry=größe
/* ∑ */ __global__ void summe(float* größe, const char* s) { const char* t = "😀"; größe[0] = t[0]; } // 終
void größe(float* x) { /* 😀 */ summe<<<1, 1>>>(x, "é"); }
