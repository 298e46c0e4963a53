#define VERIFICATION_HP
#include <ck_hp.h>
#include <ck_hp_stack.h>
struct item { ck_stack_entry_t link; int v; };
static ck_stack_t S = CK_STACK_INITIALIZER;
void client_init(unsigned n) { (void)n; ck_stack_init(&S); }
void client_insert(int v) { struct item *i = malloc(sizeof *i); i->v = v; ck_hp_stack_push_mpmc(&S, &i->link); }
int client_remove(void **g) { (void)g; ck_hp_record_t r; ck_hp_mock_open(&r, 1);
	ck_stack_entry_t *e = ck_hp_stack_pop_mpmc(&r, &S); int v = NOTHING;
	if (e) { v = ((struct item *)e)->v; }
	ck_hp_mock_close(&r, 1); if (e) treville_hazard_retire(e); return v; }
void client_garbage_cleanup(void *g) { (void)g; }
void client_cleanup(void) { }
