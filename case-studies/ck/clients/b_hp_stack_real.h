#include "real_hp.h"
#include <ck_hp_stack.h>
struct item { ck_stack_entry_t link; ck_hp_hazard_t hazard; int v; };
static ck_stack_t S = CK_STACK_INITIALIZER;
void client_init(unsigned n) { ck_stack_init(&S); hp_start(n); }
void client_insert(int v) { struct item *i = malloc(sizeof *i); i->v = v; ck_hp_stack_push_mpmc(&S, &i->link); }
int client_remove(void **g) { (void)g; struct item *i = (struct item *)ck_hp_stack_pop_mpmc(HP_MINE, &S); int v = i ? i->v : NOTHING;
	ck_hp_clear(HP_MINE); if (i) ck_hp_free(HP_MINE, &i->hazard, i, i); return v; }
void client_garbage_cleanup(void *g) { (void)g; }
void client_cleanup(void) { }
