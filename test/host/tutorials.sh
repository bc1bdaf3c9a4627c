# SPDX-License-Identifier: Apache-2.0
# Triton's tutorials as they stand, on cpu: python/tutorials of triton-lang/triton-cpu (910ba2e9) in $TERN_TUTORIALS. Each
# says itself whether its results agree; sweeps are cut to one point, and 09 to small products. Stand-ins without them:
# kernels.py, autotune.py, nn.py, report.py.
. test/cli/lib.sh
if [ ! -f "${TERN_TUTORIALS:-/none}/01-vector-add.py" ]; then
    skip 16 'no $TERN_TUTORIALS'
    finish
    exit 0
fi
# tutorial NAME CODE WORDS
tutorial() {
    sed 's/validate(8192, 8192, /validate(160, 96, /' "$TERN_TUTORIALS/$1.py" >"$work/$1.py"
    "$TERN" exec --device cpu --points 1 --allow-write "$work" "$work/$1.py" >"$work/got" 2>"$work/err"
    rc=$?
    check "$1 ends with $2" test $rc = "$2"
    check "$1 prints $3" grep -q -e "$3" "$work/got"
    [ $rc = "$2" ] || cat "$work/err"
}
cd "$work" || exit 1
TERN=$OLDPWD/$TERN
tutorial 01-vector-add 0 'The maximum difference between torch-cpu-tiled and triton-cpu is 0.0'
tutorial 02-fused-softmax 0 'softmax-performance:'
tutorial 02-fused-softmax-cpu 0 'softmax-performance:'
tutorial 03-matrix-multiplication 0 'Triton and Torch match'
tutorial 04-low-memory-dropout 0 'output (seed = 512)'
tutorial 05-layer-norm 0 'layer-norm-backward:'
tutorial 09-persistent-matmul 3 'Persistent: ✅'
check '09: no result differs' sh -c '! grep -q ❌ got'
check '09 stops at the profiler' grep -q 'a session of triton.profiler' err
finish
