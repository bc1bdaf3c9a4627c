# SPDX-License-Identifier: Apache-2.0
# Triton's tutorials as they stand, on cpu, of two vintages: python/tutorials of triton-lang/triton-cpu (910ba2e9; 06, 08
# and 09 are those of Triton 3.6) in $TERN_TUTORIALS, of openai/triton (a7e3476e) in $TERN_TUTORIALS_2024. Each says
# itself whether its results agree; sweeps are cut to one point, and 09 to small products and few turns. Stand-ins
# without them: kernels.py, autotune.py, nn.py, report.py, profiler.sh.
. test/cli/lib.sh
TERN=$PWD/$TERN
# tutorial FOLDER NAME CODE WORDS
tutorial() {
    case $2 in # 08 reads whole tiles: other sizes would be outside of its tensors
    09-*) sed 's/validate(8192, 8192, /validate(160, 96, /; s/^    [MN] = 8192$/    M = N = 160/
        s/reps=10000, warmup_reps=10000/reps=3, warmup_reps=1/' "$1/$2.py" >"$work/$2.py" ;;
    *) cp "$1/$2.py" "$work/$2.py" ;;
    esac
    (cd "$work" && "$TERN" exec --device cpu --points 1 --allow-write . "$2.py") >"$work/got" 2>"$work/err"
    rc=$?
    check "$2 ends with $3" test $rc = "$3"
    [ -z "$4" ] || check "$2 prints $4" grep -q -e "$4" "$work/got"
    check "$2: results differ where they should" test "$(grep -c ❌ "$work/got")" = "${5:-0}"
    [ $rc = "$3" ] || cat "$work/err"
}
if [ -f "${TERN_TUTORIALS:-/none}/01-vector-add.py" ]; then
    tutorial "$TERN_TUTORIALS" 01-vector-add 0 'The maximum difference between torch.* is 0.0'
    tutorial "$TERN_TUTORIALS" 02-fused-softmax 0 'softmax-performance:'
    tutorial "$TERN_TUTORIALS" 03-matrix-multiplication 0 'Triton and Torch match'
    tutorial "$TERN_TUTORIALS" 04-low-memory-dropout 0 'output (seed = 512)'
    tutorial "$TERN_TUTORIALS" 05-layer-norm 0 'layer-norm-backward:'
    tutorial "$TERN_TUTORIALS" 06-fused-attention 0 'bwd-causal=True.*:'
    tutorial "$TERN_TUTORIALS" 08-grouped-gemm 0 'group-gemm-performance-m-8192-k-8192:'
    tutorial "$TERN_TUTORIALS" 09-persistent-matmul 0 '^tflop16/s time/ms'
else
    skip 24 'no $TERN_TUTORIALS'
fi
if [ -f "${TERN_TUTORIALS_2024:-/none}/01-vector-add.py" ]; then
    tutorial "$TERN_TUTORIALS_2024" 01-vector-add 0 'The maximum difference between torch and triton is 0.0'
    tutorial "$TERN_TUTORIALS_2024" 02-fused-softmax 0 'softmax-performance:'
    tutorial "$TERN_TUTORIALS_2024" 03-matrix-multiplication 0 'Triton and Torch match'
    tutorial "$TERN_TUTORIALS_2024" 04-low-memory-dropout 0 'output (seed = 512)'
    tutorial "$TERN_TUTORIALS_2024" 05-layer-norm 0 'layer-norm-backward:'
    tutorial "$TERN_TUTORIALS_2024" 06-fused-attention 0 'bwd-causal=True:'
    # Its assertion asks for the same rounding of float16 sums, atol=1e-2 and rtol=0, of values near 1,000.
    tutorial "$TERN_TUTORIALS_2024" 08-grouped-gemm 1 ''
    # Its kernels read rows from 0 in every block: wrong with Triton, too, where there is more than one.
    tutorial "$TERN_TUTORIALS_2024" 09-persistent-matmul 0 'persistent: ✅' 1
else
    skip 24 'no $TERN_TUTORIALS_2024'
fi
finish
