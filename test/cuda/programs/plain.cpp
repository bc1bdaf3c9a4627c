// SPDX-License-Identifier: Apache-2.0
// What is C++ alone, without a GPU: a C++ compiler says what this prints.
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

static int counter = 3;
static float table[1 << 23];
static const char *const names[] = {"one", "two"};
static int doubled = counter * 2;

struct Shape {
    int rows, columns;
    Shape(int r, int c) : rows(r), columns(c) {}
    int size() const { return rows * columns; }
    Shape operator+(const Shape &other) const {
        return Shape(rows + other.rows, columns + other.columns);
    }
};

static int next() {
    static int calls = 10;
    return calls++;
}

template <typename T> T sum(const std::vector<T> &v) {
    T s = 0;
    for (size_t i = 0; i < v.size(); i++) s += v[i];
    return s;
}

static int first_over(const int *x, int n, int limit) {
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) continue;
        if (x[i] > limit) return i;
    }
    return -1;
}

static void formats() {
    printf("|%d|%5d|%-5d|%05d|%+d|%x|%X|%o|\n", -42, 42, 42, 42, 42, 255, 255, 8);
    printf("|%f|%.2f|%10.3f|%-10.1f|%e|%g|%g|\n", 3.14159, 2.5, 1.0 / 3, 2.25, 12345.678, 1e-5, 1e10);
    printf("|%s|%10s|%-10s|%.2s|%c|%%|\n", "text", "right", "left", "cut", 'x');
    printf("|%u|%ld|%lld|%lu|%zu|%hhd|\n", 4000000000u, -5l, -6ll, 7ul, sizeof(int), 300);
    printf("|%*d|%.*f|\n", 6, 12, 3, 2.0);
    char text[32];
    int length = snprintf(text, 8, "%d and more", 1234567);
    printf("%s %d %zu\n", text, length, strlen(text));
}

static void streams() {
    std::cout << 1 << ' ' << 2u << ' ' << -3l << ' ' << 4.5 << ' ' << 1e20f << ' ' << 1.0 / 3 << ' '
              << true << std::endl;
    std::cout << std::fixed << std::setprecision(3) << 2.0 / 3 << std::setw(8) << 42 << '|'
              << std::left << std::setw(6) << "ab" << '|' << std::setfill('.') << std::setw(5) << 7
              << "\n";
    std::string text = "abc";
    text += "def";
    std::cout << text << ' ' << text.size() << ' ' << (text == "abcdef") << std::endl;
}

static void numbers() {
    double total = 0;
    for (int i = 0; i < 10; i++) {
        if (i == 7) break;
        switch (i) {
        case 1: continue;
        case 2: total += 1;
        default: total += pow(i, 2.5);
        }
    }
    printf("%.10f %.10f %.10f %.6f\n", total, atan2(1, 2), log10(50.0), sinf(1.5f));
    unsigned wraps = 0;
    wraps -= 5;
    int big = INT_MAX;
    long long product = (long long)big * big;
    printf("%.9f %.9f %.9f %.9f\n", sqrt(2.0), sqrt(3), sqrtf(5.0f), std::sqrt(7.0f) + fabs(-1.5));
    printf("%u %lld %d %d %d\n", wraps, product, -7 / 2, -7 % 3, 1 << 20);
    int number = 5;
    number += number++ * 2;
    float half = 0.1f * 3;
    printf("%d %.9g %d\n", number > 0, half, (int)-2.7);
    srand(42);
    int a = rand(), b = rand();
    printf("%d %d %.6f\n", a, b, rand() / (double)RAND_MAX);
}

static void arrays() {
    int x[3][4] = {{1, 2, 3}, {4, 5}}, y[] = {5, -3, 8, 1};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) x[i][j] += i * j;
    printf("%d %d %d %zu\n", x[2][3], first_over(y, 4, 6), first_over(y, 4, 9), sizeof x);
    std::vector<int> w;
    for (int i = 0; i < 10; ++i) w.push_back((i * 7) % 10);
    std::sort(w.begin(), w.end());
    for (int one : w) std::cout << one << " ";
    for (auto &one : w) one *= 2;
    std::cout << sum(w) << ' ' << std::accumulate(w.begin(), w.end(), 0) << std::endl;
    int *dynamic = new int[10]();
    Shape *shape = new Shape(3, 4);
    dynamic[3] = shape->size() + (*shape + Shape(1, 1)).size();
    printf("%d %d\n", dynamic[3], dynamic[4]);
    delete[] dynamic;
    delete shape;
    int *grown = (int *)malloc(4 * sizeof(int));
    for (int i = 0; i < 4; i++) grown[i] = i;
    grown = (int *)realloc(grown, 8 * sizeof(int));
    printf("%d %d\n", grown[3], memcmp(grown, "\0\0\0\0\1", 5));
    free(grown);
}

int main(int argc, char **argv) {
    counter += next() + next();
    table[5] = 1.5f;
    printf("%d %d %s %.1f %d\n", counter, doubled, names[argc], table[5], argc);
    formats();
    streams();
    numbers();
    arrays();
    if (argc > 5) {
        puts(argv[1]);
        return 1;
    }
    return 7;
}
