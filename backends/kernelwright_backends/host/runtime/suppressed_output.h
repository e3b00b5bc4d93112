// Suppresses the output of the candidate for a while.
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

class Quiet {
 public:
  Quiet() : nowhere_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    if (nowhere_ < 0) return;
    fflush(nullptr);
    for (int i = 0; i < 2; ++i) kept_[i] = dup(i + 1), dup2(nowhere_, i + 1);
  }
  ~Quiet() {
    if (nowhere_ < 0) return;
    fflush(nullptr);
    for (int i = 0; i < 2; ++i) dup2(kept_[i], i + 1), close(kept_[i]);
    close(nowhere_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  explicit operator bool() const { return nowhere_ >= 0; }

 private:
  int nowhere_, kept_[2];
};
