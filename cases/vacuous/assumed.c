void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
int main(void){ int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x==3); __VERIFIER_assume(x==4); return 0; }
