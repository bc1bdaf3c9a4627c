// SPDX-License-Identifier: Apache-2.0
// Functions of POSIX and of <chrono> as a C++ compiler has them: options, memory, points in time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int option;
    opterr = 0;
    while ((option = getopt(argc, argv, "ab:c:h")) != -1)
        printf("%c %s %d\n", option, optarg ? optarg : "-", optind);
    for (int i = optind; i < argc; i++) printf("rest %s\n", argv[i]);
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now(), end;
    std::chrono::time_point<std::chrono::steady_clock> other = begin;
    end = std::chrono::steady_clock::now();
    std::chrono::duration<double> took = end - other;
    auto whole = std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count();
    printf("%d %d\n", whole >= 0, took.count() >= 0 && took.count() < 10);
    printf("%d\n", std::chrono::system_clock::now().time_since_epoch().count() > 0);
    float *numbers = nullptr, *none = argc > 100 ? nullptr : numbers;
    int failed = posix_memalign((void **)&numbers, 64, 400);
    numbers[99] = 3;
    printf("%d %g %d\n", failed, numbers[99], none == nullptr);
    free(numbers);
    int tried = 0;
    try {
        for (tried = 1; tried < 10; tried *= 3)
            if (tried == 3) break;
    } catch (const int &thrown) {
        tried = thrown;
    } catch (...) {
        tried = -1;
    }
    return tried;
}
