# SPDX-License-Identifier: Apache-2.0
# Kernels of scripts on a CPU test each access: what is outside of buffers is a message with the file, the
# line, the program and the lane, and nothing was touched; what is inside is as without tests.
. test/cli/lib.sh
outside=test/host/kit/outside.py
for device in cpu cpu:avx2 cpu:generic interp; do
    "$TERN" exec --device $device $outside -- inside >"$work/got" 2>&1 || { skip 1 "$device"; continue; }
    check "accesses inside are as they were ($device)" grep -q '^14 kernels are right$' "$work/got"
    for row in 'row load - 13' 'masked load - 19' 'gather load 1073741824 26' 'wide load 1073741824 26' \
        'before load -1073741824 26' 'scatter store -100000 34' 'scalar load 536870912 40' 'near load 5120 40' \
        'tile load 64000 46' 'uniform load 1000000 53' 'strided load 40960000 60' 'atomic atomic 99999999 67' 'carried load - 75' \
        'null load - 83' 'number load - 89'; do
        set -- $row
        "$TERN" exec --device $device $outside -- "$1" >"$work/got" 2>&1
        check "outside: $1 ends ($device)" test $? = 1
        check "outside: $1 names its line ($device)" grep -q "outside.py:$4:[0-9]*: error: $2 of 4 bytes \(outside\|at address\)" "$work/got"
        case $1 in
        null | number) where='which is in no buffer' ;;
        row | masked | carried) where="at element 5[01][02]0 of 'x'" ;; # buffers end where memory is given out
        *) where="at element $3 of '" ;;
        esac
        check "outside: $1 names its place ($device)" grep -q "$where" "$work/got"
        case $1 in scalar | near | null | number) where='in program (0, 0, 0)' ;; *) where='lane \[' ;; esac
        check "outside: $1 names its lane ($device)" grep -q "$where" "$work/got"
        check "outside: $1 changed nothing ($device)" grep -q '^unchanged$' "$work/got"
    done
done
for device in cpu interp; do
    for row in 'global load 1000000000' 'global load -100000' 'shared load 1000' 'shared load -5' 'local store 100' \
        'constant load 1000' 'either load 1001' 'atomic atomic 100000000' 'four load 300'; do
        set -- $row
        "$TERN" exec --device $device test/host/kit/outside_cuda.py -- "$1" "$3" >"$work/got" 2>&1
        check "CUDA C outside: $1 $3 ends ($device)" test $? = 1
        check "CUDA C outside: $1 is right before ($device)" grep -q '^right$' "$work/got"
        check "CUDA C outside: $1 $3 is named ($device)" grep -q "outside.cu:[0-9]*:[0-9]*: .*$2 of 4 bytes" "$work/got"
    done
done
# --trust leaves the tests out: what lies right behind a buffer is read.
"$TERN" exec --trust --device cpu $outside -- inside >"$work/got" 2>&1
check 'without tests, too' grep -q '^14 kernels are right$' "$work/got"
check 'and nothing is tested' "$TERN" exec --trust --device cpu $outside -- near
finish
