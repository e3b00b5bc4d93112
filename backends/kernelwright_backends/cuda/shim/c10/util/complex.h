#pragma once

#include <c10/macros/Macros.h>

namespace c10 {

// Complex elements as PyTorch lays them out: real part, then imaginary part.
template <class T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
  T real_{}, imag_{};

  constexpr complex() = default;
  constexpr KW_HOST_DEVICE complex(T re, T im = T()) : real_(re), imag_(im) {}
  constexpr KW_HOST_DEVICE T real() const { return real_; }
  constexpr KW_HOST_DEVICE T imag() const { return imag_; }

  friend constexpr KW_HOST_DEVICE complex operator+(complex a, complex b) {
    return complex(a.real_ + b.real_, a.imag_ + b.imag_);
  }
  friend constexpr KW_HOST_DEVICE complex operator-(complex a, complex b) {
    return complex(a.real_ - b.real_, a.imag_ - b.imag_);
  }
  friend constexpr KW_HOST_DEVICE complex operator*(complex a, complex b) {
    return complex(a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_);
  }
  friend constexpr KW_HOST_DEVICE complex operator/(complex a, complex b) {
    const T scale = b.real_ * b.real_ + b.imag_ * b.imag_;
    return complex((a.real_ * b.real_ + a.imag_ * b.imag_) / scale, (a.imag_ * b.real_ - a.real_ * b.imag_) / scale);
  }
  constexpr KW_HOST_DEVICE complex& operator+=(complex b) { return *this = *this + b; }
  constexpr KW_HOST_DEVICE complex& operator-=(complex b) { return *this = *this - b; }
  constexpr KW_HOST_DEVICE complex& operator*=(complex b) { return *this = *this * b; }
  constexpr KW_HOST_DEVICE complex& operator/=(complex b) { return *this = *this / b; }
  friend constexpr KW_HOST_DEVICE bool operator==(complex a, complex b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr KW_HOST_DEVICE bool operator!=(complex a, complex b) { return !(a == b); }
};

}  // namespace c10
