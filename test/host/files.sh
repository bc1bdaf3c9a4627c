# SPDX-License-Identifier: Apache-2.0
# Python files that run from the top, on the device of the kept outputs: each test/host/*.py, or those
# that are arguments, prints what is kept in *.out, which is Python's own (and PyTorch's) output; where
# there is a Python, it is asked again.
. test/cli/lib.sh
python=${PYTHON:-python3}
[ $# -gt 0 ] || set -- test/host/*.py
usual=${TERN_CACHE_DIR-unset}
for file; do
    case $file in # what was chosen before would not be chosen again
    */autotune.py) export TERN_CACHE_DIR="$work/cache" ;;
    esac
    device=cpu
    case $file in # a hundred small kernels, which would be compiled for seconds
    */compose.py) device=interp ;;
    esac
    "$TERN" exec --device $device "$file" >"$work/got" 2>"$work/err"
    check "$file ends well" test $? = 0
    if [ "$usual" = unset ]; then unset TERN_CACHE_DIR; else TERN_CACHE_DIR=$usual; fi
    whose=0
    grep -q perf_report "$file" && whose=1
    check "$file says whose times they are" test "$(grep -c "none of these tables is PyTorch's" "$work/err")" = $whose
    # the address sanitizer has a word of its own for whoever switches stacks
    check "$file says what is not compiled" test "$(grep -c 'runs op by op' "$work/err")" = "$(grep -c '# op by op' "$file")"
    check "$file says nothing else" test "$(grep -vc 'ASan.*swapcontext\|runs op by op' "$work/err")" = $whose
    check "$file prints what is kept" diff "${file%.py}.out" "$work/got"
    case $file in
    */kernels.py | */autotune.py | */reinterpret.py)
        "$TERN" exec --device interp "$file" >"$work/got" 2>&1
        check "$file does the same on interp" diff "${file%.py}.out" "$work/got"
        ;;
    esac
    needs=True wants= # -P: numbers.py here is none of its modules
    grep -q '^import triton' "$file" && continue # those need a GPU there
    # older ones write arrays differently
    grep -q '^import numpy' "$file" && wants=' with NumPy 2.4' &&
        needs='tuple(map(int, __import__("numpy").__version__.split(".")[:2])) >= (2, 4)'
    grep -q '^import torch' "$file" && wants=' with torch' needs="__import__('torch') and $needs"
    if "$python" -P -c "import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)) or not ($needs))" 2>"$work/.out"; then
        TORCHDYNAMO_DISABLE=1 "$python" -P "$file" >"$work/want" 2>"$work/err"
        check "$file prints what Python prints" diff "$work/want" "$work/got"
    else
        skip 1 "no Python 3.11 or 3.12$wants"
    fi
done
finish
