__kernel void elementwise(__global const float* x, __global float* y, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = x[i] / (1.0f + exp(-x[i]));
}

__kernel void reduction(__global const float* x, __global float* y, int columns) {
    __local float part[256];
    int lane = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;
    for (int i = lane; i < columns; i += 256) sum += x[row * columns + i];
    part[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_way = 128; half_way > 0; half_way /= 2) {
        if (lane < half_way) part[lane] += part[lane + half_way];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) y[row] = part[0];
}

__kernel void matmul(__global const float* a, __global const float* b, __global float* c, int n) {
    __local float at[16][16], bt[16][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * 16 + ty, column = get_group_id(0) * 16 + tx;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        at[ty][tx] = a[row * n + t + tx];
        bt[ty][tx] = b[(t + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += at[ty][k] * bt[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void scan(__global const float* x, __global float* y) {
    __local float values[2][256];
    int i = get_local_id(0), from = 0;
    values[0][i] = x[get_group_id(0) * 256 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 256; step *= 2) {
        values[1 - from][i] = values[from][i] + (i >= step ? values[from][i - step] : 0.0f);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[get_group_id(0) * 256 + i] = values[from][i];
}
