// The stop watch of the headers of NVIDIA's samples. Written for Kernelwright; a copy in the workspace comes first.
#pragma once

#include <time.h>

class StopWatchInterface {
 public:
  virtual ~StopWatchInterface() {}
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void reset() = 0;
  virtual float getTime() = 0;         // ms
  virtual float getAverageTime() = 0;  // ms a session between start and stop
};

class StopWatchLinux : public StopWatchInterface {
 public:
  void start() override {
    started_ = now_ms();
    running_ = true;
  }
  void stop() override {
    last_ = now_ms() - started_;
    total_ += last_;
    ++sessions_;
    running_ = false;
  }
  void reset() override {
    total_ = last_ = 0;
    sessions_ = 0;
    if (running_) started_ = now_ms();
  }
  float getTime() override { return float(total_ + (running_ ? now_ms() - started_ : 0)); }
  float getAverageTime() override { return sessions_ ? float(total_ / sessions_) : 0.0f; }

 private:
  static double now_ms() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
  }
  double started_ = 0, total_ = 0, last_ = 0;
  int sessions_ = 0;
  bool running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchLinux();
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getTime() : 0.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getAverageTime() : 0.0f; }
