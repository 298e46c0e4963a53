/*
 * Every primitive of include/ck_pr.h does what its name says, and fences order what they say; without the library.
 * With -DFULL=ck_pr_fence_acqrel, which is too weak for the last of them, it fails.
 */
#include <ck_pr.h>
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define WORD(S, T) \
static void word_##S(void) \
{ \
	T x = 0, old = 0; \
	bool zero = false; \
	ck_pr_store_##S(&x, 5); assert(ck_pr_load_##S(&x) == 5); \
	assert(ck_pr_fas_##S(&x, 6) == 5 && x == 6); \
	assert(ck_pr_faa_##S(&x, 2) == 6 && x == 8); \
	ck_pr_add_##S(&x, 2); assert(x == 10); \
	ck_pr_sub_##S(&x, 3); assert(x == 7); \
	ck_pr_and_##S(&x, 6); assert(x == 6); \
	ck_pr_or_##S(&x, 1); assert(x == 7); \
	ck_pr_xor_##S(&x, 2); assert(x == 5); \
	ck_pr_not_##S(&x); assert(x == (T)~5); \
	ck_pr_neg_##S(&x); assert(x == 6); \
	ck_pr_inc_##S(&x); assert(x == 7); \
	ck_pr_dec_##S(&x); assert(x == 6); \
	assert(!ck_pr_cas_##S(&x, 5, 1) && x == 6); \
	assert(ck_pr_cas_##S(&x, 6, 1) && x == 1); \
	assert(!ck_pr_cas_##S##_value(&x, 5, 2, &old) && old == 1 && x == 1); \
	assert(ck_pr_cas_##S##_value(&x, 1, 2, &old) && old == 1 && x == 2); \
	ck_pr_dec_##S##_zero(&x, &zero); assert(x == 1 && !zero); \
	assert(ck_pr_dec_##S##_is_zero(&x) && x == 0); \
	assert(ck_pr_neg_##S##_is_zero(&x) && x == 0); \
	ck_pr_neg_##S##_zero(&x, &zero); assert(zero); \
	ck_pr_dec_##S(&x); assert(x == (T)-1); \
	assert(ck_pr_inc_##S##_is_zero(&x) && x == 0); \
	ck_pr_inc_##S##_zero(&x, &zero); assert(x == 1 && !zero); \
	assert(!ck_pr_bts_##S(&x, 2) && x == 5 && ck_pr_bts_##S(&x, 2)); \
	assert(ck_pr_btr_##S(&x, 0) && x == 4 && !ck_pr_btr_##S(&x, 0)); \
	assert(!ck_pr_btc_##S(&x, 1) && x == 6 && ck_pr_btc_##S(&x, 1) && x == 4); \
}
WORD(char, char)
WORD(short, short)
WORD(int, int)
WORD(uint, unsigned int)
WORD(8, uint8_t)
WORD(16, uint16_t)
WORD(32, uint32_t)
WORD(64, uint64_t)

static void pointers(void)
{
	int a[2];
	int *p = a, *old = NULL;
	uintptr_t n = (uintptr_t)a;
	assert(ck_pr_load_ptr(&p) == a);
	ck_pr_store_ptr(&p, a + 1); assert(p == a + 1);
	ck_pr_store_ptr_unsafe(&p, a); assert(p == a);
	assert(ck_pr_fas_ptr(&p, a + 1) == a && p == a + 1);
	assert(!ck_pr_cas_ptr(&p, a, NULL) && ck_pr_cas_ptr(&p, a + 1, a) && p == a);
	assert(!ck_pr_cas_ptr_value(&p, a + 1, NULL, &old) && old == a);
	assert(ck_pr_cas_ptr_value(&p, a, NULL, &old) && old == a && p == NULL);
	assert(ck_pr_faa_ptr(&n, sizeof(int)) == (uintptr_t)a && n == (uintptr_t)(a + 1));
	ck_pr_sub_ptr(&n, sizeof(int)); ck_pr_add_ptr(&n, 1); ck_pr_inc_ptr(&n); ck_pr_dec_ptr(&n); ck_pr_dec_ptr(&n);
	assert(n == (uintptr_t)a);
	ck_pr_or_ptr(&n, 1); ck_pr_xor_ptr(&n, 3); ck_pr_and_ptr(&n, ~(uintptr_t)2); assert(n == (uintptr_t)a);
	assert(!ck_pr_bts_ptr(&n, 0) && ck_pr_btr_ptr(&n, 0) && !ck_pr_btc_ptr(&n, 0) && ck_pr_btc_ptr(&n, 0));
	n = 5;
	ck_pr_not_ptr(&n); ck_pr_neg_ptr(&n); assert(n == 6);
	n = 1;
	bool zero;
	assert(ck_pr_dec_ptr_is_zero(&n) && ck_pr_neg_ptr_is_zero(&n) && !ck_pr_inc_ptr_is_zero(&n));
	ck_pr_dec_ptr_zero(&n, &zero); assert(zero);
	ck_pr_neg_ptr_zero(&n, &zero); assert(zero);
	ck_pr_inc_ptr_zero(&n, &zero); assert(!zero);
}

#if defined(CK_PR_DWCAS) && CK_PR_DWCAS
#define SIXTEEN(S, T, N, LOAD) \
static void sixteen_##S(void) \
{ \
	_Alignas(16) T x[N] = { 1, 2 }, one[N] = { 1, 2 }, two[N] = { 3, 4 }, old[N] = { 0 }; \
	assert(!ck_pr_cas_##S##_##N(x, two, one) && ck_pr_cas_##S##_##N(x, one, two) && x[0] == 3 && x[1] == 4); \
	assert(!ck_pr_cas_##S##_##N##_value(x, one, two, old) && old[0] == 3 && old[1] == 4); \
	assert(ck_pr_cas_##S##_##N##_value(x, two, one, old) && x[0] == 1 && x[1] == 2 && old[1] == 4); \
	LOAD(x, old); assert(old[0] == 1 && old[1] == 2); \
}
SIXTEEN(char, char, 16, ck_pr_md_load_char_16)
SIXTEEN(8, uint8_t, 16, ck_pr_md_load_8_16)
SIXTEEN(16, uint16_t, 8, ck_pr_md_load_16_8)
SIXTEEN(32, uint32_t, 4, ck_pr_md_load_32_4)
SIXTEEN(int, int, 4, ck_pr_md_load_int_4)
SIXTEEN(uint, unsigned int, 4, ck_pr_md_load_uint_4)
SIXTEEN(64, uint64_t, 2, ck_pr_load_64_2)
#endif

#ifndef FULL
#define FULL ck_pr_fence_memory
#endif
/* What was sent is there when the flag is; of two who write and then read, one sees the other. */
static int data, flag, x, y, r;
static void *send(void *unused)
{
	data = 1;
	ck_pr_fence_store();
	ck_pr_store_int(&flag, 1);
	ck_pr_store_int(&x, 1);
	FULL();
	r = ck_pr_load_int(&y);
	return unused;
}
static void fences(void)
{
	pthread_t t;
	pthread_create(&t, NULL, send, NULL);
	if (ck_pr_load_int(&flag)) {
		ck_pr_fence_load();
		assert(data == 1);
	}
	ck_pr_store_int(&y, 1);
	FULL();
	int s = ck_pr_load_int(&x);
	pthread_join(t, NULL);
	assert(r || s);
}
#define FENCE(name) ck_pr_fence_##name(); ck_pr_fence_strict_##name();
int main(void)
{
	word_char(); word_short(); word_int(); word_uint(); word_8(); word_16(); word_32(); word_64(); pointers();
#if defined(CK_PR_DWCAS) && CK_PR_DWCAS
	sixteen_char(); sixteen_8(); sixteen_16(); sixteen_32(); sixteen_int(); sixteen_uint(); sixteen_64();
#endif
	FENCE(load) FENCE(load_load) FENCE(load_store) FENCE(load_atomic) FENCE(load_depends)
	FENCE(store) FENCE(store_load) FENCE(store_store) FENCE(store_atomic)
	FENCE(atomic) FENCE(atomic_load) FENCE(atomic_store) FENCE(atomic_atomic)
	FENCE(memory) FENCE(acquire) FENCE(release) FENCE(acqrel) FENCE(lock) FENCE(unlock)
	ck_pr_barrier(); ck_pr_stall(); ck_pr_rfo(&data);
	fences();
	return 0;
}
