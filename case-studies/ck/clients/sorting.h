/* What ck_hp.c takes from the C library, for a few pointers. */
#include <stdlib.h>
#define qsort sorting_qsort
#define bsearch sorting_bsearch
static void sorting_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	void **a = base;
	(void)size;
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && compare(&a[j - 1], &a[j]) > 0; j--) {
			void *t = a[j];
			a[j] = a[j - 1];
			a[j - 1] = t;
		}
}
static void *sorting_bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	void *const *a = base;
	(void)size;
	for (size_t i = 0; i < n; i++)
		if (compare(key, &a[i]) == 0)
			return (void *)&a[i];
	return NULL;
}
