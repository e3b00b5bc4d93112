#pragma once
constexpr uint32_t WORDS = 8;
