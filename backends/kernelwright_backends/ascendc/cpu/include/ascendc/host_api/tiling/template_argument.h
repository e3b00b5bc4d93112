// Which template arguments a kernel is built with: a build reads it, a kernel says them where it is called.
#pragma once
#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_SEL(...)
#define GET_TPL_TILING_KEY(...) (uint64_t(0))
