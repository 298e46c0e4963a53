// rc11: assertion 1 + 1 == 3
#include <treville.h>
int main(void)
{
	treville_assert(1 + 1 == 3);
	return 0;
}
