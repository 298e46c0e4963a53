/*
 * A writer that puts, removes (-DREMOVE) and grows (-DGROW), and R readers that get, on a set of small numbers behind the four functions of BACKEND.
 * Key 0 is there from the start and is never removed: all readers find it. What else they find must be what was put.
 */
#include "iface.h"
#ifndef R
#define R 1
#endif
#ifndef PUTS
#define PUTS 1
#endif
#ifndef CAP
#define CAP 8
#endif
#define KEYS (PUTS + 1)
static void *set_malloc(size_t n) { return malloc(n); }
static void set_free(void *p, size_t n, bool later) { (void)p; (void)n; (void)later; /* readers may still be there */ }
#include BACKEND

static void *writer(void *unused)
{
	(void)unused;
	for (int i = 1; i <= PUTS; i++)
		set_put(i);
#ifdef REMOVE
	set_remove(1);
#endif
#ifdef GROW
	set_grow(CAP * 2);
#endif
	return NULL;
}
static void *reader(void *unused)
{
	(void)unused;
	assert(set_get(0));
#ifdef OTHERS
	for (int i = 1; i <= PUTS; i++)
		(void)set_get(i);
#endif
	return NULL;
}
int main(void)
{
	pthread_t t[R + 1];
	set_init(CAP);
	set_put(0);
	pthread_create(&t[0], NULL, writer, NULL);
	for (int i = 0; i < R; i++) pthread_create(&t[1 + i], NULL, reader, NULL);
	for (int i = 0; i <= R; i++) pthread_join(t[i], NULL);
	return 0;
}
