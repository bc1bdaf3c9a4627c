# SPDX-License-Identifier: Apache-2.0
# What the two libraries show: only tern_*, and, shared, what CUDA's driver calls (doc/prof.md). A user's own arena_alloc and
# the library's do not meet.
. test/cli/lib.sh

cc=${CC:-cc}
hidden() { # hidden LIBRARY NM_OPTIONS: no defined global symbol but tern_*
    ! nm $2 --defined-only "$1" | grep -v "${3:-^$}" | awk 'NF == 3 && $2 ~ /^[TDBRVWu]$/ && $3 !~ /^(tern_|__asan|__ubsan|__odr_asan|_init$|_fini$|__bss_start$|_edata$|_end$)/ { print; bad = 1 } END { exit !bad }'
}
check 'libtern.so exports tern_* only' hidden "$BUILD/libtern.so" -D ' InitializeInjection$'
check 'libtern.a shows tern_* only' hidden "$BUILD/libtern.a" -g
check 'the interface is there' sh -c "nm -D --defined-only $BUILD/libtern.so | grep -q ' T tern_launch$'"

# What is called of glibc is in 2.28 already, under an older version of the same name, or (stat, 2.33)
# inline: what a newer glibc alone has would keep tern from being built with an older one.
old_glibc() {
    ! nm -D --undefined-only "$1" | awk '{ split($2, part, "@+GLIBC_"); split(part[2], number, ".") }
        number[2] > 28 && part[1] !~ /^(exp|exp2|log|log2|pow|fmod|hypot|l?stat|fstat|dl[a-z]*|pthread_[a-z_]*|sem_[a-z]*|shm_[a-z]*|__isoc23_[a-z]*|__libc_start_main)$/ { print; bad = 1 }
        END { exit !bad }'
}
check 'libtern.so needs glibc 2.28' old_glibc "$BUILD/libtern.so"
check 'tern needs glibc 2.28' old_glibc "$TERN"
# Functions of glibc 2.29 and 2.36.
echo 'int posix_spawn_file_actions_addchdir_np(void *, const char *); unsigned arc4random(void);
int calls(void *a) { return posix_spawn_file_actions_addchdir_np(a, "") + (int)arc4random(); }' >"$work/newer.c"
if $cc -shared -fPIC -Wl,-z,defs "$work/newer.c" -o "$work/newer.so" 2>"$work/.out"; then
    check 'newer functions are seen' sh -c "nm -D '$work/newer.so' | grep -q 'addchdir_np@GLIBC_2.29'"
    ! old_glibc "$work/newer.so" >"$work/.seen"
    check 'and found' test "$(grep -c -e addchdir_np -e arc4random "$work/.seen")" = 2
else
    skip 2 'this glibc has no newer functions'
fi

cat >"$work/user.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "tern.h"
void *arena_alloc(void *arena, size_t size) { (void)arena, (void)size; abort(); }
void *arena_new(void *oom) { (void)oom; abort(); }
void diag_error(void) { abort(); }
int main(void) {
    tern_context *context = tern_open(&(tern_open_options){.device = "interp"}, NULL, NULL, 0);
    printf("%s\n", context ? tern_device_name(context) : "none");
    tern_close(context);
    return 0;
}
END
san=$(sed -n 's/.*\(-fsanitize=[a-z,]*\).*/\1/p' "$BUILD/flags")
check 'a user with its own arena_alloc links' $cc -std=c11 $san -Iinclude "$work/user.c" "$BUILD/libtern.a" -lm -ldl -lpthread -o "$work/user"
exits 0 interp "$work/user"
check 'and with the shared library' $cc -std=c11 $san -Iinclude "$work/user.c" -L"$BUILD" -Wl,-rpath,"$(pwd)/$BUILD" -ltern -lm -ldl -lpthread -o "$work/shared"
[ -e "$BUILD/libtern.so.0" ] || ln -sf libtern.so "$BUILD/libtern.so.0"
exits 0 interp "$work/shared"
exits 0 'out[999] = 999.5' env TERN_DEVICE=interp "$BUILD/examples/vector_add"
exits 0 'by hand the same: yes' env TERN_DEVICE=interp "$BUILD/examples/tensors"
exits 0 'step 200: loss 0.0' env TERN_DEVICE=interp "$BUILD/examples/train"
exits 0 'mlp: 5 ops, 2 kernels' env TERN_DEVICE=interp "$BUILD/examples/fused"
if command -v g++ >/dev/null 2>&1; then
    echo '#include "tern_tensor.h"
    int main() { tern_argument a = tern_arg_int(1); return a.integer != 1; }' >"$work/user.cc"
    check 'the example is C++' g++ -std=c++11 -Wall -Wextra -Iinclude -x c++ -c examples/vector_add.c -o "$work/add.o"
    check 'the headers are C++' g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$work/user.cc"
else
    skip 1 'no g++'
fi
check 'install' make -s install B="$BUILD" PREFIX=/usr DESTDIR="$work/root"
for file in bin/tern include/tern.h include/tern_build.h include/tern_prof.h include/tern_tensor.h include/tern_tensor_ops.def include/tern.hpp lib/libtern.a lib/libtern.so.0 lib/pkgconfig/tern.pc share/man/man1/tern.1; do
    check "$file is installed" test -e "$work/root/usr/$file"
done
if command -v pkg-config >/dev/null 2>&1; then
    exits 0 '-ltern' env PKG_CONFIG_PATH="$work/root/usr/lib/pkgconfig" pkg-config --libs tern
else
    skip 1 'no pkg-config'
fi
if command -v cmake >/dev/null 2>&1; then
    mkdir "$work/cmake"
    cp "$work/user.c" "$work/cmake/"
    cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(user C)
set(CMAKE_C_STANDARD 11)
find_package(tern ${WANTED} REQUIRED)
message(STATUS "tern ${tern_VERSION}")
add_executable(shared user.c)
target_link_libraries(shared tern::tern)
add_executable(static user.c)
target_link_libraries(static tern::static)
END
    found() { # found FOLDER VERSION
        cmake -S "$work/cmake" -B "$work/$1" -DWANTED="$2" -DCMAKE_PREFIX_PATH="$work/root/usr" \
            -DCMAKE_C_COMPILER="${cc##* }" -DCMAKE_C_FLAGS="$san"
    }
    series=$($TERN --version | sed 's/tern \([0-9]*\.[0-9]*\).*/\1/')
    check 'find_package of CMake' found made "$series"
    check 'builds' cmake --build "$work/made"
    exits 0 interp "$work/made/shared"
    exits 0 interp "$work/made/static"
    check 'another version is not found' sh -c "! cmake -S '$work/cmake' -B '$work/other' -DWANTED=99.1 -DCMAKE_PREFIX_PATH='$work/root/usr'"
else
    skip 5 'no cmake'
fi
check 'x86-64 or arm64' $cc -std=c11 -D_GNU_SOURCE -Isrc -Iinclude -fsyntax-only src/base/arena.c
exits 1 'tern is for Linux on x86-64 and arm64' $cc -std=c11 -D_GNU_SOURCE -U__x86_64__ -U__aarch64__ -Isrc -Iinclude \
    -fsyntax-only src/base/arena.c
exits 1 'macOS, Windows' $cc -std=c11 -D_GNU_SOURCE -U__linux__ -Isrc -Iinclude -fsyntax-only src/base/arena.c
for example in examples/*.c examples/lab/*.c; do
    check "$example is plain C11" $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$example"
done
check 'uninstall' make -s uninstall B="$BUILD" PREFIX=/usr DESTDIR="$work/root"
check 'nothing is left' sh -c "[ -z \"\$(find $work/root -type f)\" ]"
at="B=$BUILD PREFIX=/usr LIBDIR=/usr/lib/some-linux DESTDIR=$work/multi"
check 'install into another LIBDIR' make -s install $at
check 'the library is there' test -e "$work/multi/usr/lib/some-linux/libtern.so.0"
check 'nothing is beside it' test "$(ls "$work/multi/usr/lib")" = some-linux
check 'pkg-config file' grep -qx 'libdir=/usr/lib/some-linux' "$work/multi/usr/lib/some-linux/pkgconfig/tern.pc"
if command -v cmake >/dev/null 2>&1; then
    check 'find_package from there' cmake -S "$work/cmake" -B "$work/far" -DCMAKE_C_COMPILER="${cc##* }" -DCMAKE_C_FLAGS="$san" \
        -Dtern_DIR="$work/multi/usr/lib/some-linux/cmake/tern"
    check 'builds' cmake --build "$work/far"
    exits 0 interp "$work/far/shared"
else
    skip 3 'no cmake'
fi
check 'uninstall from there' make -s uninstall $at
check 'nothing is left there' sh -c "[ -z \"\$(find $work/multi -type f)\" ]"
finish
