/*
 * The stack with the library's own epochs: entries are removed in a section, and freed as RECLAIM says: 1 by the one who removed it,
 * after having waited for all others (ck_epoch_barrier), 2 if nobody is in the way (ck_epoch_poll), 3 without a callback
 * (ck_epoch_synchronize).
 */
#include <ck_epoch.h>
#include <ck_epoch.c>
#ifndef RECLAIM
#define RECLAIM 1
#endif
#define EPOCH_THREADS 8
struct item { int v; ck_stack_entry_t link; ck_epoch_entry_t epoch; };
static ck_stack_t S = CK_STACK_INITIALIZER;
static ck_epoch_t E;
static ck_epoch_record_t RECORDS[EPOCH_THREADS];
static _Thread_local ck_epoch_record_t *MINE;
#define CLIENT_ENTER(thread) (MINE = &RECORDS[thread])
CK_STACK_CONTAINER(struct item, link, item_of)
CK_EPOCH_CONTAINER(struct item, epoch, item_at)
static void destroy(ck_epoch_entry_t *e) { free(item_at(e)); }
void client_init(unsigned n) { ck_stack_init(&S); ck_epoch_init(&E); for (unsigned i = 0; i < n; i++) ck_epoch_register(&E, &RECORDS[i], NULL); }
void client_insert(int v) { struct item *i = malloc(sizeof *i); i->v = v; ck_stack_push_upmc(&S, &i->link); }
int client_remove(void **g) { (void)g; ck_epoch_begin(MINE, NULL); ck_stack_entry_t *e = ck_stack_pop_upmc(&S); ck_epoch_end(MINE, NULL);
	if (!e) return NOTHING;
	struct item *i = item_of(e); int v = i->v;
#if RECLAIM == 3
	ck_epoch_synchronize(MINE); free(i);
#else
	ck_epoch_call(MINE, &i->epoch, destroy);
#if RECLAIM == 2
	ck_epoch_poll(MINE);
#else
	ck_epoch_barrier(MINE);
#endif
#endif
	return v; }
void client_garbage_cleanup(void *g) { (void)g; }
void client_cleanup(void) { }
