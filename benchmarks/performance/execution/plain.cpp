// The same arithmetic as one loop a class: what `g++ -O3` makes of it on one core.
#include <cmath>
#include <cstring>
#include <vector>
#include "timing.h"

static float sink;

int main(int, char** arguments) {
    const char* kind = arguments[1];
    if (!std::strcmp(kind, "elementwise")) {
        const int n = 1 << 20;
        std::vector<float> x(n), y(n);
        report([&] {
            for (int i = 0; i < n; ++i) y[i] = x[i] / (1.0f + std::exp(-x[i]));
            sink += y[n / 2];
        });
    } else if (!std::strcmp(kind, "reduction")) {
        const int rows = 1024, columns = 1024;
        std::vector<float> x(rows * columns), y(rows);
        report([&] {
            for (int r = 0; r < rows; ++r) {
                float sum = 0.0f;
                for (int i = 0; i < columns; ++i) sum += x[r * columns + i];
                y[r] = sum;
            }
            sink += y[rows / 2];
        });
    } else if (!std::strcmp(kind, "matmul")) {
        const int n = 256;
        std::vector<float> a(n * n), b(n * n), c(n * n);
        report([&] {
            std::fill(c.begin(), c.end(), 0.0f);
            for (int i = 0; i < n; ++i)
                for (int k = 0; k < n; ++k)
                    for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
            sink += c[n];
        });
    } else {
        const int rows = 1024, columns = 256;
        std::vector<float> x(rows * columns), y(rows * columns);
        report([&] {
            for (int r = 0; r < rows; ++r) {
                float sum = 0.0f;
                for (int i = 0; i < columns; ++i) y[r * columns + i] = sum += x[r * columns + i];
            }
            sink += y[columns];
        });
    }
    return sink != sink;
}
