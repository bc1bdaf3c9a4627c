// SPDX-License-Identifier: Apache-2.0
// A kernel from C++: c++ -std=c++17 examples/softmax.cc -ltern
#include <cstdio>
#include <tern.hpp>
#include <vector>

int main() {
    try {
        tern::context context("cpu");
        tern::module module = context.load_file("kernels/softmax.py");
        tern::kernel softmax = module.compile("softmax_kernel", "*fp32,*fp32,i32,i32,i32,4");
        std::vector<float> rows = {1, 2, 3, 4, 4, 4}, result(rows.size());
        tern::buffer x = context.alloc_copy<float>(rows), y = context.alloc(24);
        tern::launch(softmax, {2}, x, y, 3, 3, 3);
        y.read<float>(result);
        for (int i = 0; i < 6; i++) std::printf("%.4f%c", result[i], i % 3 == 2 ? '\n' : ' ');
        module.compile("softmax_kernel", "*fp32,*fp32,i32,i32,i32,3"); // no power of 2
    } catch (const tern::error &error) {
        std::printf("%s\n", error.what());
    }
}
