int launch(int rocket);

int main(void)
{
	return launch(3);
}
