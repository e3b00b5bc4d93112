#ifdef WIDE
__global__ void split(int n) {
#else
__global__ void split(int n, int m) {
#endif
  n++;
}
__global__ void whole(int n) { n++; }
