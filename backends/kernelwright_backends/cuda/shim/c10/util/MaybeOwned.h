// c10::MaybeOwned<T>: a value of one's own, or one that is another's.
#pragma once

#include <utility>

namespace c10 {

template <class T>
class MaybeOwned {
 public:
  static MaybeOwned borrowed(const T& value) { return MaybeOwned(&value); }
  static MaybeOwned owned(T&& value) { return MaybeOwned(std::move(value)); }
  MaybeOwned() = default;
  const T& operator*() const { return other_ ? *other_ : own_; }
  const T* operator->() const { return &**this; }

 private:
  explicit MaybeOwned(const T* other) : other_(other) {}
  explicit MaybeOwned(T&& own) : own_(std::move(own)) {}
  T own_{};
  const T* other_ = nullptr;
};

}  // namespace c10
