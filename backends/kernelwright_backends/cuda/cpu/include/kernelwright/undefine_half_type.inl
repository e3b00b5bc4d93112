// Ends what cuda_fp16.h and cuda_bf16.h define for half_type.inl.
#undef KW_HALF
#undef KW_PAIR
#undef KW_RAW
#undef KW_RAW_PAIR
#undef KW_HALF_WORD
#undef KW_PAIR_WORD
#undef KW_ENCODE
#undef KW_DECODE
#undef KW_NO_CONVERSIONS
#undef KW_NO_OPERATORS
