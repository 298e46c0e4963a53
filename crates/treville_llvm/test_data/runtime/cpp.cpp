// rc11: 1
#include <cassert>
struct Counter {
	int n;
	Counter() : n(1) {}
	virtual ~Counter() { n = 0; }
	virtual int twice() { return 2 * n; }
};
struct More : Counter {
	int twice() override { return 2 * n + 1; }
};
static Counter first;
static int &local()
{
	static More *made = new More;
	return made->n;
}
int main()
{
	Counter *c = new More;
	assert(c->twice() == 3 && first.n == 1);
	local() = 5;
	assert(local() == 5);
	delete c;
	return 0;
}
