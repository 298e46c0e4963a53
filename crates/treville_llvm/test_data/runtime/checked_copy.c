// rc11: 1
// A copy that must not be made leaves zeros, if there is room for them.
#include <assert.h>
#include <stddef.h>
extern int memcpy_s(void *to, size_t room, const void *from, size_t n);
int main(void)
{
	int a[3] = { 1, 2, 3 }, b[3] = { 4, 5, 6 };
	assert(memcpy_s(b, sizeof b, a, sizeof a) == 0 && b[0] == 1 && b[2] == 3);
	assert(memcpy_s(b, sizeof b - sizeof *b, a, sizeof a) != 0 && b[0] == 0 && b[1] == 0 && b[2] == 3);
	assert(memcpy_s(a, sizeof a, a, sizeof a) != 0 && a[0] == 0 && a[2] == 0);
	b[1] = 7;
	assert(memcpy_s(b, sizeof b, 0, sizeof b) != 0 && b[1] == 0);
	assert(memcpy_s(0, sizeof b, a, sizeof a) != 0);
	return 0;
}
