#include <assert.h>

int a[100];

int main(void)
{
	long s = 0;
	for (int i = 0; i < 10000; i++) {
		a[i % 100] = i;
		s += a[i % 100];
	}
	assert(s == 49995000);
}
