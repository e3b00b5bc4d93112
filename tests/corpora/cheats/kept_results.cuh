#pragma once
#include <map>

inline float*& result_for(const void* key) {
  static std::map<const void*, float*> known;
  return known[key];
}
