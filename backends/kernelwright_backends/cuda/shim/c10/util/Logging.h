#pragma once

#include <c10/util/Exception.h>

#define KW_COMPARED(A, B, COMPARISON) TORCH_CHECK((A)COMPARISON(B), "Check failed: " #A " " #COMPARISON " " #B)
#define TORCH_CHECK_EQ(A, B) KW_COMPARED(A, B, ==)
#define TORCH_CHECK_NE(A, B) KW_COMPARED(A, B, !=)
#define TORCH_CHECK_LE(A, B) KW_COMPARED(A, B, <=)
#define TORCH_CHECK_LT(A, B) KW_COMPARED(A, B, <)
#define TORCH_CHECK_GE(A, B) KW_COMPARED(A, B, >=)
#define TORCH_CHECK_GT(A, B) KW_COMPARED(A, B, >)
