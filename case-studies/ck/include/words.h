/*
 * memset and memcpy of run-time length as loops over elements, for checkers that know no other length or no access in smaller pieces
 * (-include words.h): what the thesis did by hand.
 */
#ifndef WORDS_H
#define WORDS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define WORDS_FILL(T) for (size_t i = 0; i < n / sizeof(T); i++) ((T *)to)[i] = (T)byte
static inline void *words_set(void *to, int byte, size_t n, size_t element)
{
	/* of what has more than one byte, all are 0 or all ones */
	switch (element) {
	case 1: WORDS_FILL(uint8_t); break;
	case 2: WORDS_FILL(uint16_t); break;
	case 4: WORDS_FILL(uint32_t); break;
	default: WORDS_FILL(uint64_t);
	}
	return to;
}
/* only pointers are copied */
static inline void *words_copy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n / sizeof(void *); i++)
		((void **)to)[i] = ((void *const *)from)[i];
	return to;
}
#define memset(to, byte, n) words_set((to), (byte), (n), sizeof *(to))
#define memcpy(to, from, n) words_copy((to), (from), (n))
#endif
