// What a function takes and gives.
#pragma once

#include <cstddef>
#include <tuple>

template <class T>
struct function_traits : function_traits<decltype(&T::operator())> {};
template <class Class, class T>
struct function_traits<T Class::*> : function_traits<T> {};
template <class Class, class Result, class... Args>
struct function_traits<Result (Class::*)(Args...) const> : function_traits<Result(Args...)> {};
template <class T>
struct function_traits<T&> : function_traits<T> {};
template <class T>
struct function_traits<T*> : function_traits<T> {};
template <class Result, class... Args>
struct function_traits<Result(Args...)> {
  static constexpr std::size_t arity = sizeof...(Args);
  using ArgsTuple = std::tuple<Args...>;
  using result_type = Result;
  template <std::size_t i>
  struct arg {
    using type = std::tuple_element_t<i, ArgsTuple>;
  };
};
template <class T>
struct nullary_function_traits {
  using result_type = typename function_traits<T>::result_type;
};
template <class T>
struct unary_function_traits {
  using result_type = typename function_traits<T>::result_type;
  using arg1_t = typename function_traits<T>::template arg<0>::type;
};
template <class T>
struct binary_function_traits {
  using result_type = typename function_traits<T>::result_type;
  using arg1_t = typename function_traits<T>::template arg<0>::type;
  using arg2_t = typename function_traits<T>::template arg<1>::type;
};
