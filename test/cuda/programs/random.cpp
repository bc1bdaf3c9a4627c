// SPDX-License-Identifier: Apache-2.0
// Engines and distributions of <random>: the numbers of libstdc++. Those that take logarithms are
// within rounding, so that fewer digits are printed.
#include <random>
#include <algorithm>
#include <cstdio>
#include <vector>
template <typename G> void all(const char *name, G g) {
    std::uniform_real_distribution<float> f(-3.0f, 5.5f);
    std::uniform_real_distribution<> d(0.25, 7);
    std::normal_distribution<float> nf(1.5f, 2.5f);
    std::normal_distribution<double> nd;
    std::uniform_int_distribution<int> i(-10, 1000);
    std::uniform_int_distribution<> w;
    std::uniform_int_distribution<unsigned long> big(5, 0xfffffffffffful);
    std::uniform_int_distribution<unsigned char> c(0, 255);
    std::bernoulli_distribution b(0.3);
    std::exponential_distribution<float> e(2.0f);
    printf("%s\n", name);
    for (int k = 0; k < 40; k++) {
        printf("%lu ", (unsigned long)g());
        printf("%a ", f(g));
        printf("%a ", d(g));
        printf("%.4g ", nf(g));
        printf("%.4g ", nd(g));
        printf("%d ", i(g));
        printf("%d ", w(g));
        printf("%lu ", (unsigned long)big(g));
        printf("%d ", (int)c(g));
        printf("%d ", (int)b(g));
        printf("%.4g\n", e(g));
    }
    g.discard(1000);
    std::vector<int> v(33);
    for (int k = 0; k < 33; k++) v[k] = k;
    std::shuffle(v.begin(), v.end(), g);
    for (int k = 0; k < 33; k++) printf("%d ", v[k]);
    std::vector<short> s(70000);
    for (int k = 0; k < 70000; k++) s[k] = k;
    std::shuffle(s.begin(), s.end(), g);
    for (int k = 0; k < 70000; k += 999) printf("%d ", (int)s[k]);
    printf("\n");
}
int main() {
    all("mt", std::mt19937(42));
    all("mt64", std::mt19937_64(43));
    all("minstd0", std::default_random_engine(44));
    all("minstd", std::minstd_rand(0));
    std::mt19937 g;
    printf("%lu\n", (unsigned long)g());
}
