/*
 * The library's own hazard pointers: threads are numbered, their records are registered before they start, and what a thread
 * retires is destroyed at once unless somebody protects it.
 */
#ifndef CK_HP_CACHE
#define CK_HP_CACHE 8 /* of pointers in a record */
#endif
#ifndef HP_THRESHOLD
#define HP_THRESHOLD 1
#endif
#define HP_THREADS 8
#define HP_DEGREE 2
#include "sorting.h"
#include <ck_hp.h>
#include <ck_hp.c>
static ck_hp_t HP;
static ck_hp_record_t HP_RECORDS[HP_THREADS];
static void *HP_POINTERS[HP_THREADS][HP_DEGREE];
static _Thread_local ck_hp_record_t *HP_MINE;
#define CLIENT_ENTER(thread) (HP_MINE = &HP_RECORDS[thread])
static void hp_start(unsigned threads)
{
	ck_hp_init(&HP, HP_DEGREE, HP_THRESHOLD, free);
	for (unsigned i = 0; i < threads; i++)
		ck_hp_register(&HP, &HP_RECORDS[i], HP_POINTERS[i]);
}
