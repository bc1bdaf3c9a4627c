#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern.hpp with the C++ compilers that are here, in C++17, 20 and 23, with hard warnings.
. test/cli/lib.sh
# A library with a sanitizer links with the runtime of the compiler that made it.
san=$(sed -n 's/.*\(-fsanitize=[a-z,]*\).*/\1/p' "$BUILD/flags")
if grep -q clang "$BUILD/flags"; then other=g++; else other=clang++; fi
for cxx in g++ clang++; do
    command -v $cxx >/dev/null 2>&1 || { skip 9 "$cxx is not here"; continue; }
    [ -z "$san" ] || [ $cxx != $other ] || { skip 9 "$cxx has another runtime of $san"; continue; }
    for standard in c++17 c++20 c++2b; do
        check "$cxx -std=$standard takes it" $cxx -std=$standard -Wall -Wextra -Wpedantic -Wshadow -Werror -O1 $san -Iinclude \
            test/api/hpp.cc "$BUILD/libtern.a" -o "$work/hpp" -lm -ldl -pthread
        check "$cxx -std=$standard: it runs" "$work/hpp"
        rm -f "$work/hpp"
    done
    check "$cxx takes the example" $cxx -std=c++17 -Wall -Wextra -Werror $san -Iinclude examples/softmax.cc "$BUILD/libtern.a" -o "$work/example" -lm -ldl -pthread
    "$work/example" >"$work/out" 2>&1
    check "$cxx: it is right" [ "$(sed 2q "$work/out" | tr '\n' ' ')" = '0.0900 0.2447 0.6652 0.3333 0.3333 0.3333 ' ]
    check "$cxx: and says what is wrong" grep -q "^kernels/softmax.py:10:15: error: the range of 'arange'" "$work/out"
done
finish
