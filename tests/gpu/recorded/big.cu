#define SIZE 20000
#define AT(i) (i) + SIZE
__global__ void big(float* x) { __shared__ float tile[SIZE]; tile[threadIdx.x] = x[0]; __syncthreads(); x[threadIdx.x] = tile[255 - threadIdx.x]; }
