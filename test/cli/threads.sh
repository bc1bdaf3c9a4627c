#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What of the command runs in threads of its own, for the thread sanitizer, by which a command whose
# threads race ends with another code: ranks that show that they live, tensors made in parts, kernels.
# Not what forks beside threads, as `tern tune` and `tern bench` do: the sanitizer cannot follow it.
# shellcheck disable=SC2086
. test/cli/lib.sh
command -v cc >/dev/null 2>&1 || { skip 4 'no C compiler'; finish; }
TERN_CACHE_DIR=$work/cache
export TERN_CACHE_DIR
add="kernels/vector_add.py --grid cdiv(n,BLOCK) -a x_ptr=rand(n) -a y_ptr=rand(n) -a out_ptr=empty(n) -a BLOCK=1024"
check 'ranks that share checks' srun "$TERN" check $add -a n=1000 kernels/vector_add.py
check 'tensors made in parts' "$TERN" run --device cpu $add -a n=1000000
check 'and without a cache' env TERN_CACHE_DIR= "$TERN" run --device cpu $add -a n=1000000
check 'no folder of ranks is left' rmdir "$work/cache/ranks"
finish
