/* Hazard-pointer records backed by the model checker's own hazard pointers; natively they protect nothing, and nothing is freed. */
#ifndef CK_HP_MOCK_H
#define CK_HP_MOCK_H
#include <ck_cc.h>
#include <ck_pr.h>
#include <ck_stack.h>
#include <stdlib.h>
#if __has_include(<genmc.h>)
#include <genmc.h>
#define treville_hazard_t __VERIFIER_hp_t
#define treville_hazard_alloc __VERIFIER_hazptr_alloc
#define treville_hazard_protect __VERIFIER_hazptr_protect
#define treville_hazard_clear __VERIFIER_hazptr_clear
#define treville_hazard_free __VERIFIER_hazptr_free
#define treville_hazard_retire __VERIFIER_hazptr_retire
#else
#include <treville.h>
#endif

typedef struct ck_hp_hazard { void *pointer; void *data; } ck_hp_hazard_t;
typedef struct ck_hp_record { treville_hazard_t *slot[2]; } ck_hp_record_t;

CK_CC_INLINE static void ck_hp_set(ck_hp_record_t *r, unsigned int i, void *p)
{
	if (p == NULL)
		treville_hazard_clear(r->slot[i]);
	else
		treville_hazard_protect(r->slot[i], p);
}

CK_CC_INLINE static void ck_hp_set_fence(ck_hp_record_t *r, unsigned int i, void *p)
{
	if (p != NULL)
		treville_hazard_protect(r->slot[i], p);
	ck_pr_fence_memory();
}

CK_CC_INLINE static void ck_hp_mock_open(ck_hp_record_t *r, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		r->slot[i] = treville_hazard_alloc();
}

CK_CC_INLINE static void ck_hp_mock_close(ck_hp_record_t *r, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		treville_hazard_free(r->slot[i]);
}
#endif
