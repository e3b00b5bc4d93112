// The operators of a storage type (c10::Half, c10::BFloat16, c10::Float8_e5m2), named by KW_STORAGE_FLOAT: included once each.

namespace c10 {

#define KW_STORAGE_BINARY(OP)                                                                                  \
  inline KW_HOST_DEVICE KW_STORAGE_FLOAT operator OP(const KW_STORAGE_FLOAT& a, const KW_STORAGE_FLOAT& b) {   \
    return KW_STORAGE_FLOAT(static_cast<float>(a) OP static_cast<float>(b));                                   \
  }                                                                                                            \
  inline KW_HOST_DEVICE KW_STORAGE_FLOAT& operator OP##=(KW_STORAGE_FLOAT& a, const KW_STORAGE_FLOAT& b) {     \
    return a = a OP b;                                                                                         \
  }                                                                                                            \
  inline KW_HOST_DEVICE float operator OP(KW_STORAGE_FLOAT a, float b) { return static_cast<float>(a) OP b; }  \
  inline KW_HOST_DEVICE float operator OP(float a, KW_STORAGE_FLOAT b) { return a OP static_cast<float>(b); }  \
  inline KW_HOST_DEVICE float& operator OP##=(float& a, const KW_STORAGE_FLOAT& b) {                           \
    return a = a OP static_cast<float>(b);                                                                     \
  }                                                                                                            \
  inline KW_HOST_DEVICE double operator OP(KW_STORAGE_FLOAT a, double b) {                                     \
    return static_cast<double>(a) OP b;                                                                        \
  }                                                                                                            \
  inline KW_HOST_DEVICE double operator OP(double a, KW_STORAGE_FLOAT b) {                                     \
    return a OP static_cast<double>(b);                                                                        \
  }                                                                                                            \
  inline KW_HOST_DEVICE KW_STORAGE_FLOAT operator OP(KW_STORAGE_FLOAT a, int b) {                              \
    return a OP KW_STORAGE_FLOAT(static_cast<float>(b));                                                       \
  }                                                                                                            \
  inline KW_HOST_DEVICE KW_STORAGE_FLOAT operator OP(int a, KW_STORAGE_FLOAT b) {                              \
    return KW_STORAGE_FLOAT(static_cast<float>(a)) OP b;                                                       \
  }                                                                                                            \
  inline KW_HOST_DEVICE KW_STORAGE_FLOAT operator OP(KW_STORAGE_FLOAT a, std::int64_t b) {                     \
    return a OP KW_STORAGE_FLOAT(static_cast<float>(b));                                                       \
  }                                                                                                            \
  inline KW_HOST_DEVICE KW_STORAGE_FLOAT operator OP(std::int64_t a, KW_STORAGE_FLOAT b) {                     \
    return KW_STORAGE_FLOAT(static_cast<float>(a)) OP b;                                                       \
  }

KW_STORAGE_BINARY(+)
KW_STORAGE_BINARY(-)
KW_STORAGE_BINARY(*)
KW_STORAGE_BINARY(/)
#undef KW_STORAGE_BINARY

inline KW_HOST_DEVICE KW_STORAGE_FLOAT operator-(const KW_STORAGE_FLOAT& a) {
  return KW_STORAGE_FLOAT(static_cast<unsigned short>(a.x ^ 0x8000u), KW_STORAGE_FLOAT::from_bits());
}

// Without these a comparison would have to choose between the conversions to float and to CUDA's own type.
#define KW_STORAGE_COMPARISON(OP)                                                                    \
  inline KW_HOST_DEVICE bool operator OP(const KW_STORAGE_FLOAT& a, const KW_STORAGE_FLOAT& b) {     \
    return static_cast<float>(a) OP static_cast<float>(b);                                           \
  }                                                                                                  \
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                             \
  inline KW_HOST_DEVICE bool operator OP(const KW_STORAGE_FLOAT& a, T b) {                           \
    return static_cast<float>(a) OP b;                                                               \
  }                                                                                                  \
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                             \
  inline KW_HOST_DEVICE bool operator OP(T a, const KW_STORAGE_FLOAT& b) {                           \
    return a OP static_cast<float>(b);                                                               \
  }
KW_STORAGE_COMPARISON(==)
KW_STORAGE_COMPARISON(!=)
KW_STORAGE_COMPARISON(<)
KW_STORAGE_COMPARISON(<=)
KW_STORAGE_COMPARISON(>)
KW_STORAGE_COMPARISON(>=)
#undef KW_STORAGE_COMPARISON

}  // namespace c10
