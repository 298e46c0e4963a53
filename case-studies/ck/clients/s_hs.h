#include <ck_hs.h>
#include <ck_hs.c>
static ck_hs_t H;
static int K[KEYS];
static unsigned long hash(const void *k, unsigned long seed) { (void)seed; return (unsigned long)((const int *)k - K); }
static bool same(const void *a, const void *b) { return a == b; }
static struct ck_malloc M = { .malloc = set_malloc, .free = set_free };
static void set_init(unsigned n) { ck_hs_init(&H, CK_HS_MODE_SPMC | CK_HS_MODE_DIRECT, hash, same, &M, n, 0); }
static void set_put(int i) { assert(ck_hs_put(&H, hash(&K[i], 0), &K[i])); }
static bool set_get(int i) { void *found = ck_hs_get(&H, hash(&K[i], 0), &K[i]); assert(!found || found == &K[i]); return found; }
static void set_remove(int i) { assert(ck_hs_remove(&H, hash(&K[i], 0), &K[i]) == &K[i]); }
static void set_grow(unsigned n) { assert(ck_hs_grow(&H, n)); }
