"""Mechanical repairs: from a finding at its place to the edited text, without running anything.

In the sources, `[[` and `]]` enclose what the finding stands at, `((` and `))` its first related place.
"""

import re
from typing import Any

import pytest

from kernelwright_backends.core.finding import Finding, Range, Related, finding
from kernelwright_backends.core.fix import fixed
from kernelwright_backends.core.registry import fixes_of

PATH = "/somewhere/a.cu"


def marked(text: str, code: str, **data: Any) -> tuple[str, Finding]:
    """The text without its marks, and the finding that they stand for."""
    places: dict[str, tuple[int, int]] = {}
    plain = ""
    for part in re.split(r"(\[\[|\]\]|\(\(|\)\))", text):
        if part in ("[[", "]]", "((", "))"):
            places[part] = (plain.count("\n") + 1, len(plain) - (plain.rfind("\n") + 1) + 1)
        else:
            plain += part
    line, column = places["[["]
    end_line, end_column = places["]]"]
    related = ()
    if "((" in places:
        related = (Related(message="other", path=PATH, line=places["(("][0], column=places["(("][1]),)
    at = Range(line=line, column=column, end_line=end_line, end_column=end_column)
    return plain, finding(code, "said", PATH, at, related=related, data=data)


HEAD = (
    "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
)

CASES = {
    "a shuffle of the time before masks": (
        "COMPILE_ERROR", {"maskless": "__shfl_down"},
        HEAD + "  float v = x[i];\n  v += [[__shfl_down]](v, 16);\n  y[i] = v + __shfl_down(v, 8);\n}\n",
        HEAD + "  float v = x[i];\n  v += __shfl_down_sync(0xffffffff, v, 16);\n"
        "  y[i] = v + __shfl_down_sync(0xffffffff, v, 8);\n}\n",
    ),
    "a name that another header declares": (
        "COMPILE_ERROR", {"header": "c10/cuda/CUDAException.h"},
        "#include <vector>\n#include <torch/extension.h>\nvoid f() { [[C10_CUDA_KERNEL_LAUNCH_CHECK]](); }\n",
        "#include <vector>\n#include <c10/cuda/CUDAException.h>\n#include <torch/extension.h>\n"
        "void f() { C10_CUDA_KERNEL_LAUNCH_CHECK(); }\n",
    ),
    "a name that no header is known for": (
        "COMPILE_ERROR", {}, "#include <torch/extension.h>\nvoid f() { [[unknown]](); }\n", None,
    ),
    "a store without a guard": (
        "MEM_OUT_OF_BOUNDS", {"space": "global"},
        HEAD + "  [[y[i]]] = x[i];\n}\n",
        HEAD + "  if (i < n) y[i] = x[i];\n}\n",
    ),
    "an index that is near nothing": (
        "MEM_OUT_OF_BOUNDS", {"space": "global", "object_bytes": 0},
        HEAD + "  [[y[i]]] = x[i];\n}\n", None,
    ),
    "a place that stands for the whole assignment": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  [[y[i] = fmaxf(x[i], 0.0f)]];\n}\n",
        HEAD + "  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n}\n",
    ),
    "a place that stands for a call around it": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  y[i] = [[fmaxf(x[i], 0.0f)]];\n}\n",
        HEAD + "  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n}\n",
    ),
    "an index that is computed": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  y[i] = [[x[i + 1]]];\n}\n",
        HEAD + "  if ((i + 1) < n) y[i] = x[i + 1];\n}\n",
    ),
    "one too many": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  if (i <= n) [[y[i]]] = 1;\n}\n",
        HEAD + "  if (i < n) y[i] = 1;\n}\n",
    ),
    "one too many in a loop": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  for (int j = 0; j <= n; ++j) [[y[j]]] = 1;\n}\n",
        HEAD + "  for (int j = 0; j < n; ++j) y[j] = 1;\n}\n",
    ),
    "a declaration": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  float v = [[x[i]]];\n  y[i] = v;\n}\n",
        HEAD + "  if (i >= n) return;\n  float v = x[i];\n  y[i] = v;\n}\n",
    ),
    "a declaration of which the name is pointed at": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  float [[v]] = x[i];\n  y[i] = v;\n}\n",
        HEAD + "  if (i >= n) return;\n  float v = x[i];\n  y[i] = v;\n}\n",
    ),
    "a member that is pointed at": (
        "MEM_OUT_OF_BOUNDS", {},
        "__global__ void k(float4* y, int n) {\n  int i = threadIdx.x;\n  y[i].[[w]] = 1;\n}\n",
        "__global__ void k(float4* y, int n) {\n  int i = threadIdx.x;\n  if (i < n) y[i].w = 1;\n}\n",
    ),
    "a declaration before a barrier": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  float v = [[x[i]]];\n  __syncthreads();\n  y[i] = v;\n}\n",
        HEAD + "  float v = (i < n ? x[i] : 0);\n  __syncthreads();\n  y[i] = v;\n}\n",
    ),
    "a store beside an else": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  if (x) [[y[i]]] = 1; else y[0] = 2;\n}\n",
        HEAD + "  if (x) { if (i < n) y[i] = 1; } else y[0] = 2;\n}\n",
    ),
    "a comparison that does not hold there": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  if (i <= n) y[0] = 1; else [[y[i]]] = 2;\n}\n",
        HEAD + "  if (i <= n) y[0] = 1; else if (i < n) y[i] = 2;\n}\n",
    ),
    "an exact comparison": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  if (i <= n - 1) [[y[i]]] = 1;\n}\n",
        HEAD + "  if (i <= n - 1) { if (i < n) y[i] = 1; }\n}\n",
    ),
    "an index that counts": ("MEM_OUT_OF_BOUNDS", {}, HEAD + "  [[y[i++]]] = 1;\n}\n", None),
    "a tile that is filled before a barrier": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  __shared__ float t[64];\n  t[threadIdx.x] = [[x[i]]];\n  __syncthreads();\n  if (i < n) y[i] = t[0];\n}\n",
        HEAD + "  __shared__ float t[64];\n  t[threadIdx.x] = (i < n ? x[i] : 0);\n  __syncthreads();\n  if (i < n) y[i] = t[0];\n}\n",
    ),
    "a tile of another type": (
        "MEM_OUT_OF_BOUNDS", {},
        "template <typename T>\n__global__ void k(const T* x, T* y, int n) {\n  T v = [[x[threadIdx.x]]];\n  __syncthreads();\n  y[0] = v;\n}\n",
        "template <typename T>\n__global__ void k(const T* x, T* y, int n) {\n  T v = (threadIdx.x < n ? x[threadIdx.x] : T(0));\n  __syncthreads();\n  y[0] = v;\n}\n",
    ),
    "vectors have no zero": (
        "MEM_OUT_OF_BOUNDS", {},
        "__global__ void k(const float4* x, float* y, int n) {\n  float4 v = [[x[threadIdx.x]]];\n  __syncthreads();\n  y[0] = v.x;\n}\n",
        None,
    ),
    "a value in a loop": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  float s = 0;\n  for (int j = 0; j < 4; ++j) {\n    float v = [[x[i + j]]];\n    s += v;\n  }\n  if (i < n) y[i] = s;\n}\n",
        HEAD + "  float s = 0;\n  for (int j = 0; j < 4; ++j) {\n    float v = ((i + j) < n ? x[i + j] : 0);\n    s += v;\n  }\n  if (i < n) y[i] = s;\n}\n",
    ),
    "a device function with a value": (
        "MEM_OUT_OF_BOUNDS", {},
        "__device__ float at(const float* x, int i, int n) {\n  float v = [[x[i]]];\n  return v;\n}\n",
        "__device__ float at(const float* x, int i, int n) {\n  float v = (i < n ? x[i] : 0);\n  return v;\n}\n",
    ),
    "a square matrix": (
        "MEM_OUT_OF_BOUNDS", {},
        "__global__ void k(float* y, int n) {\n  int r = blockIdx.y, c = threadIdx.x;\n  [[y[r * n + c]]] = 1;\n}\n",
        "__global__ void k(float* y, int n) {\n  int r = blockIdx.y, c = threadIdx.x;\n  if (r < n && c < n) y[r * n + c] = 1;\n}\n",
    ),
    "a matrix of rows and columns": (
        "MEM_OUT_OF_BOUNDS", {},
        "__global__ void k(float* y, int rows, int cols) {\n  int r = blockIdx.y, c = threadIdx.x;\n  [[y[(r + 1) * cols + c]]] = 1;\n}\n",
        "__global__ void k(float* y, int rows, int cols) {\n  int r = blockIdx.y, c = threadIdx.x;\n  if ((r + 1) < rows && c < cols) y[(r + 1) * cols + c] = 1;\n}\n",
    ),
    "an index made of the count": ("MEM_OUT_OF_BOUNDS", {}, HEAD + "  [[y[n - i]]] = 1;\n}\n", None),
    "a statement that waits": (
        "MEM_OUT_OF_BOUNDS", {}, HEAD + "  [[y[i]]] = __shfl_down_sync(0xffffffff, x[0], 1);\n}\n", None,
    ),
    "shared memory": ("MEM_OUT_OF_BOUNDS", {"space": "shared"}, HEAD + "  [[y[i]]] = 1;\n}\n", None),
    "nobody says how many": (
        "MEM_OUT_OF_BOUNDS", {},
        "__global__ void k(float* y, int rows, int columns) {\n  [[y[threadIdx.x]]] = rows;\n}\n", None,
    ),
    "a race between two statements": (
        "RACE_SHARED", {},
        "__global__ void k(float* y) {\n  __shared__ float s[32];\n  ((s[threadIdx.x])) = 1;\n  y[0] = [[s[0]]];\n}\n",
        "__global__ void k(float* y) {\n  __shared__ float s[32];\n  s[threadIdx.x] = 1;\n  __syncthreads();\n  y[0] = s[0];\n}\n",
    ),
    "a race whose later access is in a branch": (
        "RACE_SHARED", {},
        "__global__ void k(float* y) {\n  __shared__ float s[32];\n  ((s[threadIdx.x])) = 1;\n  if (threadIdx.x == 0) { y[0] = [[s[1]]]; }\n}\n",
        "__global__ void k(float* y) {\n  __shared__ float s[32];\n  s[threadIdx.x] = 1;\n  __syncthreads();\n  if (threadIdx.x == 0) { y[0] = s[1]; }\n}\n",
    ),
    "a race between the turns of a loop": (
        "RACE_SHARED", {},
        "__global__ void k() {\n  __shared__ float s[64];\n  for (int h = 32; h > 0; h /= 2) {\n"
        "    if (threadIdx.x < h) ((s[threadIdx.x])) += [[s[threadIdx.x + h]]];\n  }\n}\n",
        "__global__ void k() {\n  __shared__ float s[64];\n  for (int h = 32; h > 0; h /= 2) {\n"
        "    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];\n    __syncthreads();\n  }\n}\n",
    ),
    "a loop without braces": (
        "RACE_SHARED", {},
        "__global__ void k() {\n  __shared__ float s[64];\n  for (int h = 32; h > 0; h /= 2)\n"
        "    if (threadIdx.x < h) ((s[threadIdx.x])) += [[s[threadIdx.x + h]]];\n}\n",
        "__global__ void k() {\n  __shared__ float s[64];\n  for (int h = 32; h > 0; h /= 2)\n"
        "    { if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];\n    __syncthreads();\n  }\n}\n",
    ),
    "a tile that is filled again": (
        "RACE_SHARED", {},
        "__global__ void k(float* y, int n) {\n  __shared__ float s[32];\n  for (int j = 0; j < n; ++j) {\n"
        "    ((s[threadIdx.x])) = j;\n    __syncthreads();\n    y[j] = [[s[0]]];\n  }\n}\n",
        "__global__ void k(float* y, int n) {\n  __shared__ float s[32];\n  for (int j = 0; j < n; ++j) {\n"
        "    s[threadIdx.x] = j;\n    __syncthreads();\n    y[j] = s[0];\n    __syncthreads();\n  }\n}\n",
    ),
    "a race inside a branch": (
        "RACE_SHARED", {},
        "__global__ void k(float* y) {\n  __shared__ float s[32];\n  if (threadIdx.x < 9) {\n    ((s[threadIdx.x])) = 1;\n    y[0] = [[s[0]]];\n  }\n}\n",
        None,
    ),
    "a race in a loop of the thread's own": (
        "RACE_SHARED", {},
        "__global__ void k(float* y, int n) {\n  __shared__ float s[32];\n  int t = threadIdx.x, from = t * 2;\n"
        "  for (int j = from; j < n; ++j) {\n    ((s[t])) = 1;\n    y[0] = [[s[0]]];\n  }\n}\n",
        None,
    ),
    "rows whose addresses are taken": (
        "PERF_BANK_CONFLICT", {},
        "__global__ void k(float* y) {\n  __shared__ float t[32][32];\n  float4* row = reinterpret_cast<float4*>(&t[threadIdx.y][0]);\n"
        "  row[0].x = 1;\n  y[0] = [[t[threadIdx.x][threadIdx.y]]];\n}\n",
        None,
    ),
    "rows that meet in a bank": (
        "PERF_BANK_CONFLICT", {},
        "__global__ void k(float* y) {\n  __shared__ float t[32][32];\n  t[threadIdx.y][threadIdx.x] = 1;\n  y[0] = [[t[threadIdx.x][threadIdx.y]]];\n}\n",
        "__global__ void k(float* y) {\n  __shared__ float t[32][32 + 1];\n  t[threadIdx.y][threadIdx.x] = 1;\n  y[0] = t[threadIdx.x][threadIdx.y];\n}\n",
    ),
    "an array of one dimension": (
        "PERF_BANK_CONFLICT", {},
        "__global__ void k(float* y) {\n  __shared__ float t[1024];\n  y[0] = [[t[threadIdx.x * 32]]];\n}\n", None,
    ),
    "constants that are doubles": (
        "PERF_DOUBLE", {},
        "__global__ void k(float* y) {\n  float v = y[0];\n  v = v * [[0.99]] + 1e-3 * v - 2.f + 7;\n  y[0] = v / 3.0;\n}\n",
        "__global__ void k(float* y) {\n  float v = y[0];\n  v = v * 0.99f + 1e-3f * v - 2.f + 7;\n  y[0] = v / 3.0;\n}\n",
    ),
    "a constant with a name": (
        "PERF_DOUBLE", {}, "#define A 0.5\n__global__ void k(float* y) {\n  y[0] *= [[A]];\n}\n", None,
    ),
    "a mask that leaves lanes out": (
        "SYNC_INVALID_MASK", {},
        "__global__ void k(float v) {\n  v += [[__shfl_down_sync(0x0000ffff, v, 1)]];\n}\n",
        "__global__ void k(float v) {\n  v += __shfl_down_sync(0xffffffff, v, 1);\n}\n",
    ),
    "a mask in a branch": (
        "SYNC_INVALID_MASK", {},
        "__global__ void k(float v) {\n  if (v > 0) v += [[__shfl_down_sync(0x0000ffff, v, 1)]];\n}\n", None,
    ),
    "a launch that nobody asks after": (
        "LAUNCH_CONFIGURATION", {},
        "#include <torch/extension.h>\nvoid f(float* y) {\n  [[k<<<1, 2048>>>]](y);\n}\n",
        "#include <torch/extension.h>\nvoid f(float* y) {\n  k<<<1, 2048>>>(y);\n"
        '  TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch was refused");\n}\n',
    ),
    "a launch that is asked after": (
        "LAUNCH_CONFIGURATION", {},
        "void f(float* y) {\n  [[k<<<1, 2048>>>]](y);\n  if (cudaGetLastError() != cudaSuccess) return;\n}\n", None,
    ),
    "a launch beside an else": (
        "LAUNCH_UNCHECKED", {},
        "#include <torch/extension.h>\nvoid f(float* y, int n) {\n  if (n > 4)\n    [[k<<<1, 2048>>>]](y);\n  else\n    g<<<1, 1>>>(y);\n}\n",
        "#include <torch/extension.h>\nvoid f(float* y, int n) {\n  if (n > 4)\n    k<<<1, 2048>>>(y);\n  else\n    g<<<1, 1>>>(y);\n"
        '  TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the launch was refused");\n}\n',
    ),
    "a guard that is there": (
        "MEM_OUT_OF_BOUNDS", {"space": "global"}, HEAD + "  if (i < 2 * n) [[y[i]]] = 1;\n}\n", None,
    ),
    "an index that was loaded": (
        "MEM_OUT_OF_BOUNDS", {"space": "global"},
        "__global__ void k(const int* v, int* bins, int n) {\n  [[bins[v[threadIdx.x]]]] = 1;\n}\n", None,
    ),
    "before the beginning": (
        "MEM_OUT_OF_BOUNDS", {"space": "global", "offset_bytes": -4},
        HEAD + "  if (i < n) {\n    float left = [[x[i - 1]]];\n    y[i] = left;\n  }\n}\n",
        HEAD + "  if (i < n) {\n    float left = (i - 1 >= 0 ? x[i - 1] : 0);\n    y[i] = left;\n  }\n}\n",
    ),
    "a column of several extents": (
        "MEM_OUT_OF_BOUNDS", {"space": "global"},
        "__global__ void k(const float* A, float* C, int M, int N, int K) {\n  int r = threadIdx.y, c = threadIdx.x;\n"
        "  __shared__ float t[64];\n  t[c] = [[A[r * K + c]]];\n  __syncthreads();\n  C[c] = t[c];\n}\n",
        "__global__ void k(const float* A, float* C, int M, int N, int K) {\n  int r = threadIdx.y, c = threadIdx.x;\n"
        "  __shared__ float t[64];\n  t[c] = (c < K ? A[r * K + c] : 0);\n  __syncthreads();\n  C[c] = t[c];\n}\n",
    ),
    "a counter": (
        "RACE_GLOBAL", {},
        "__global__ void k(int* bins, int b) {\n  (([[bins[b]]]))++;\n}\n",
        "__global__ void k(int* bins, int b) {\n  atomicAdd(&bins[b], 1);\n}\n",
    ),
    "a place in a list": (
        "RACE_SHARED", {"space": "shared"},
        "__global__ void k(int* out) {\n  __shared__ int count;\n  int at = (([[count]]))++;\n  out[at] = 1;\n}\n",
        "__global__ void k(int* out) {\n  __shared__ int count;\n  int at = atomicAdd(&count, 1);\n  out[at] = 1;\n}\n",
    ),
    "bits of a word": (
        "RACE_SHARED", {"space": "shared"},
        "__global__ void k() {\n  __shared__ unsigned m[8];\n  (([[m[threadIdx.x / 32]]])) |= 1u << threadIdx.x % 32;\n}\n",
        "__global__ void k() {\n  __shared__ unsigned m[8];\n  atomicOr(&m[threadIdx.x / 32], 1u << threadIdx.x % 32);\n}\n",
    ),
    "a counter whose new value is used": (
        "RACE_GLOBAL", {}, "__global__ void k(int* n, int* y) {\n  y[0] = ++(([[n[0]]]));\n}\n", None,
    ),
    "a race in a function that is called twice": (
        "RACE_SHARED", {"space": "shared"},
        "__device__ float f(float v) {\n  __shared__ float s[8];\n  ((s[threadIdx.x])) = v;\n  __syncthreads();\n"
        "  float r = 0;\n  for (int i = 0; i < 8; ++i) r += [[s[i]]];\n  return r;\n}\n",
        "__device__ float f(float v) {\n  __shared__ float s[8];\n  __syncthreads();\n  s[threadIdx.x] = v;\n  __syncthreads();\n"
        "  float r = 0;\n  for (int i = 0; i < 8; ++i) r += s[i];\n  return r;\n}\n",
    ),
    "what the host reads": (
        "INIT_UNINITIALISED_READ", {"space": "global"},
        "int main() {\n  float h[4];\n  ((cudaMemcpy))(h, y, 16, cudaMemcpyDeviceToHost);\n  return [[h[0]]] > 0;\n}\n", None,
    ),
    "a sum without a first value": (
        "INIT_UNINITIALISED_READ", {"space": "local"},
        "__global__ void k(float* y) {\n  float s[4], t;\n  [[s[threadIdx.x & 3]]] += 1;\n  y[0] = s[0];\n}\n",
        "__global__ void k(float* y) {\n  float s[4] = {}, t;\n  s[threadIdx.x & 3] += 1;\n  y[0] = s[0];\n}\n",
    ),
    "bits of a byte, which no operation sets atomically": (
        "RACE_GLOBAL", {"space": "global"},
        "__global__ void k(uint8_t* bits, int i) {\n  (([[bits[i / 8] |= 1]]));\n}\n", None,
    ),
    "a structure of which a member has no value": (
        "INIT_UNINITIALISED_READ", {"space": "local", "variable": "sum"},
        "__global__ void k(float* y) {\n  Sum ((sum));\n  sum.total = 0;\n  [[y[0] = sum.total + sum.lost]];\n}\n",
        "__global__ void k(float* y) {\n  Sum sum = {};\n  sum.total = 0;\n  y[0] = sum.total + sum.lost;\n}\n",
    ),
    "a number that is read first": (
        "INIT_UNINITIALISED_READ", {"space": "local", "variable": "v"},
        "__global__ void k(float* y) {\n  float u, ((v));\n  [[v]] += 1;\n  y[0] = v;\n}\n",
        "__global__ void k(float* y) {\n  float u, v = 0;\n  v += 1;\n  y[0] = v;\n}\n",
    ),
    "an array of which a part has no value": (
        "INIT_UNINITIALISED_READ", {"space": "local", "variable": "near"},
        "__global__ void k(float* y) {\n  float ((near))[4][2];\n  near[0][0] = 1;\n  y[0] = [[near[3][1]]];\n}\n",
        "__global__ void k(float* y) {\n  float near[4][2] = {};\n  near[0][0] = 1;\n  y[0] = near[3][1];\n}\n",
    ),
    "a copy that nobody waits for": (
        "SYNC_ASYNC_COPY", {"space": "shared"},
        "__global__ void k(float* y) {\n  __pipeline_commit();\n  __syncthreads();\n  y[0] = [[s[0]]];\n}\n",
        "__global__ void k(float* y) {\n  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  __syncthreads();\n  y[0] = s[0];\n}\n",
    ),
    "a wait that comes too early": (
        "SYNC_ASYNC_COPY", {"space": "shared"},
        "__global__ void k(float* y) {\n  __pipeline_commit();\n  __pipeline_wait_prior(2);\n  __syncthreads();\n  y[0] = [[s[0]]];\n}\n",
        "__global__ void k(float* y) {\n  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  __syncthreads();\n  y[0] = s[0];\n}\n",
    ),
    "a copy in PTX that nobody waits for": (
        "SYNC_ASYNC_COPY", {"space": "shared"},
        '__global__ void k(float* y) {\n  asm volatile("cp.async.commit_group;");\n  y[0] = [[s[0]]];\n}\n',
        '__global__ void k(float* y) {\n  asm volatile("cp.async.commit_group;");\n'
        '  asm volatile("cp.async.wait_group 0;\\n" ::: "memory");\n  __syncthreads();\n  y[0] = s[0];\n}\n',
    ),
    "beyond ASCII": (
        "MEM_OUT_OF_BOUNDS", {},
        HEAD + "  /* größer 😀 */ [[y[i]]] = x[i];\n}\n",
        HEAD + "  /* größer 😀 */ if (i < n) y[i] = x[i];\n}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "data", "text", "wanted"), CASES.values(), ids=CASES.keys())
def test_a_repair_is_a_small_edit(code: str, data: dict[str, Any], text: str, wanted: str | None) -> None:
    plain, found = marked(text, code, **data)
    repaired = [fixed(plain, fix) for fix in fixes_of("cuda", plain, found)]
    assert repaired == ([wanted] if wanted is not None else [])


def test_shared_memory_is_allowed_before_it_is_asked_for() -> None:
    plain, found = marked(
        "void f(float* y) {\n  [[k<float><<<1, 256, 2 * bytes>>>(y)]];\n}\n", "LAUNCH_CONFIGURATION"
    )
    said = "more need cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first"
    (fix,) = fixes_of("cuda", plain, found.model_copy(update={"message": said}))
    assert fixed(plain, fix) == (
        "void f(float* y) {\n  cudaFuncSetAttribute(k<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * bytes);\n"
        "  k<float><<<1, 256, 2 * bytes>>>(y);\n}\n"
    )


def test_lanes_that_meet_before_the_store_meet_again_at_the_end_of_the_turn() -> None:
    plain, found = marked(
        "__global__ void k(int* y, int n) {\n  for (int w = 16; w > 0; w /= 2) {\n    int v = ((s[2 * n]));\n    __syncwarp();\n"
        "    [[s[n]]] = v;\n  }\n}\n",
        "RACE_SHARED",
        space="shared",
        same_warp=True,
    )
    (fix,) = fixes_of("cuda", plain, found)
    assert fixed(plain, fix).endswith("    s[n] = v;\n    __syncthreads();\n  }\n}\n")


def test_most_findings_have_none() -> None:
    plain, found = marked(HEAD + "  [[y[i]]] = 1;\n}\n", "MISMATCH_VALUE")
    assert fixes_of("cuda", plain, found) == ()
    assert fixes_of("ascendc", plain, found) == ()
