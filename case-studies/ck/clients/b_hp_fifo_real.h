#include "real_hp.h"
#include <ck_hp_fifo.h>
static ck_hp_fifo_t Q;
void client_init(unsigned n) { hp_start(n); ck_hp_fifo_init(&Q, malloc(sizeof(ck_hp_fifo_entry_t))); }
void client_insert(int v) { ck_hp_fifo_entry_t *e = malloc(sizeof *e); ck_hp_fifo_enqueue_mpmc(HP_MINE, &Q, e, (void *)(intptr_t)v);
	ck_hp_clear(HP_MINE); }
int client_remove(void **g) { (void)g; void *v = NULL; ck_hp_fifo_entry_t *e = ck_hp_fifo_dequeue_mpmc(HP_MINE, &Q, &v); ck_hp_clear(HP_MINE);
	if (!e) return NOTHING; ck_hp_free(HP_MINE, &e->hazard, e, e); return (int)(intptr_t)v; }
void client_garbage_cleanup(void *g) { (void)g; }
void client_cleanup(void) { ck_hp_fifo_entry_t *s; ck_hp_fifo_deinit(&Q, &s); }
