#define VERIFICATION_HP
#include <ck_hp.h>
#include <ck_hp_fifo.h>
static ck_hp_fifo_t Q;
void client_init(unsigned n) { (void)n; ck_hp_fifo_init(&Q, malloc(sizeof(ck_hp_fifo_entry_t))); }
void client_insert(int v) { ck_hp_record_t r; ck_hp_mock_open(&r, 1);
	ck_hp_fifo_entry_t *e = malloc(sizeof *e); ck_hp_fifo_enqueue_mpmc(&r, &Q, e, (void *)(intptr_t)v); ck_hp_mock_close(&r, 1); }
int client_remove(void **g) { (void)g; ck_hp_record_t r; ck_hp_mock_open(&r, 2); void *v = NULL;
	ck_hp_fifo_entry_t *e = ck_hp_fifo_dequeue_mpmc(&r, &Q, &v); ck_hp_mock_close(&r, 2);
	if (!e) return NOTHING; treville_hazard_retire(e); return (int)(intptr_t)v; }
void client_garbage_cleanup(void *g) { (void)g; }
void client_cleanup(void) { ck_hp_fifo_entry_t *s; ck_hp_fifo_deinit(&Q, &s); }
