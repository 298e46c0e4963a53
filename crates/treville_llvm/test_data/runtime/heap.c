// rc11: 1
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void finish(void) { puts("done"); }
int main(int argc, char **argv)
{
	char *p = malloc(4), *q;
	long *zero = calloc(2, 8);
	void *aligned;
	strcpy(p, "abc");
	assert(strlen(p) == 3 && strcmp(p, "abc") == 0 && strcmp(p, "abd") < 0);
	q = realloc(p, 8);
	assert(memcmp(q, "abc", 4) == 0);
	q[7] = 'x';
	q = realloc(q, 2);
	assert(strncmp(q, "abz", 2) == 0);
	assert(zero[1] == 0);
	assert(posix_memalign(&aligned, 64, 64) == 0 && (unsigned long)aligned % 64 == 0);
	free(aligned);
	free(q);
	free(zero);
	free(0);
	q = strdup("hello");
	assert(q[4] == 'o');
	free(q);
	printf("%d %s\n", argc, argv[0]);
	fprintf(stderr, "bye\n");
	atexit(finish);
	exit(0);
}
