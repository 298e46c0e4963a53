// rc11: 2
#include <assert.h>
#include <threads.h>
static mtx_t m;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int n, inits;
static thrd_t child;
static void init(void) { inits++; }
static int other(void *arg)
{
	assert(mtx_lock(&m) == thrd_success);
	assert(mtx_lock(&m) == thrd_success);
	n += *(int *)arg;
	mtx_unlock(&m);
	mtx_unlock(&m);
	return -4;
}
int main(void)
{
	int two = 2, result;
	thrd_t self = thrd_current();
	mtx_init(&m, mtx_plain | mtx_recursive);
	call_once(&once, init);
	call_once(&once, init);
	tss_create(&key, 0);
	tss_set(key, &two);
	assert(tss_get(key) == &two && inits == 1);
	thrd_create(&child, other, &two);
	assert(!thrd_equal(self, child) && thrd_equal(self, thrd_current()));
	other(&two);
	thrd_join(child, &result);
	assert(n == 4 && result == -4);
	return 0;
}
