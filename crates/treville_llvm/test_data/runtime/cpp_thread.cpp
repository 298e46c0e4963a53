// rc11: 4
// Threads of the C++ library, with a lambda and with a function and its argument. Each of two flags is seen or not.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> ready{0}, other{0};
static int data = 0;

static void set(std::atomic<int> *flag)
{
	flag->store(1, std::memory_order_relaxed);
}

int main()
{
	std::thread t([] {
		data = 1;
		ready.store(1, std::memory_order_release);
	});
	std::thread u(set, &other);
	if (ready.load(std::memory_order_acquire))
		assert(data == 1);
	(void)other.load(std::memory_order_relaxed);
	t.join();
	u.join();
	assert(data == 1);
}
