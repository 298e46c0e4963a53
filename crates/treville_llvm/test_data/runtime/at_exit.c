// rc11: assertion last == 1
// The last one that was registered is the first to run.
#include <assert.h>
#include <stdlib.h>
static int last;
static void first(void) { assert(last == 1); }
static void second(void) { last = 2; }
int main(void)
{
	atexit(first);
	atexit(second);
	return 0;
}
