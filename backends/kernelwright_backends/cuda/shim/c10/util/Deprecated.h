#pragma once

#define C10_DEPRECATED [[deprecated]]
#define C10_DEPRECATED_MESSAGE(MESSAGE) [[deprecated(MESSAGE)]]
#define C10_DEFINE_DEPRECATED_USING(NAME, TYPE) using NAME [[deprecated]] = TYPE;
