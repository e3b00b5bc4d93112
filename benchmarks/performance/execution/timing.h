// Host side of every kernel class here: call it until half a second has gone, print the seconds of one call.
#pragma once
#include <chrono>
#include <cstdio>

template <typename Call>
void report(Call call) {
    using clock = std::chrono::steady_clock;
    call();
    long calls = 0;
    const auto began = clock::now();
    std::chrono::duration<double> gone{};
    do {
        call();
        ++calls;
        gone = clock::now() - began;
    } while (gone.count() < 0.5);
    std::printf("seconds %.9f\n", gone.count() / calls);
}
