#include <ck_ht.h>
#include <ck_ht.c>
static ck_ht_t H;
/* keys are numbers from 1, the value of each is ten times as much */
static void hash(ck_ht_hash_t *h, const void *k, size_t n, uint64_t seed) { (void)n; (void)seed; h->value = *(const uintptr_t *)k; }
static struct ck_malloc M = { .malloc = set_malloc, .free = set_free };
static ck_ht_hash_t set_entry(int i, ck_ht_entry_t *e) { ck_ht_hash_t h; uintptr_t key = (uintptr_t)i + 1;
	ck_ht_hash_direct(&h, &H, key); ck_ht_entry_set_direct(e, h, key, key * 10); return h; }
static void set_init(unsigned n) { ck_ht_init(&H, CK_HT_MODE_DIRECT, hash, &M, n, 0); }
static void set_put(int i) { ck_ht_entry_t e = { 0 }; ck_ht_hash_t h = set_entry(i, &e); assert(ck_ht_put_spmc(&H, h, &e)); }
static bool set_get(int i) { ck_ht_entry_t e = { 0 }; ck_ht_hash_t h = set_entry(i, &e); ck_ht_entry_key_set_direct(&e, (uintptr_t)i + 1);
	if (!ck_ht_get_spmc(&H, h, &e)) return false;
	assert(ck_ht_entry_value_direct(&e) == ((uintptr_t)i + 1) * 10); return true; }
static void set_remove(int i) { ck_ht_entry_t e = { 0 }; ck_ht_hash_t h = set_entry(i, &e); assert(ck_ht_remove_spmc(&H, h, &e)); }
static void set_grow(unsigned n) { assert(ck_ht_grow_spmc(&H, n)); }
