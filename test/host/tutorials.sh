# SPDX-License-Identifier: Apache-2.0
# Triton's tutorials as they stand, on cpu, of two vintages: python/tutorials of triton-lang/triton-cpu (910ba2e9; 06, 08
# and 09 are those of Triton 3.6) in $TERN_TUTORIALS, of openai/triton (a7e3476e) in $TERN_TUTORIALS_2024. Each says
# itself whether its results agree; sweeps are cut to one point, 06 to few heads, and 09 to small products and few turns. Stand-ins
# without them: kernels.py, autotune.py, nn.py, report.py, profiler.sh.
. test/cli/lib.sh
TERN=$(realpath "$TERN")
# tutorial FOLDER NAME CODE WORDS WRONG
tutorial() {
    cp "$1/$2.py" "$work/$2.py"
    case $2 in
    06-*) set -- "$@" --set BATCH=1 --set N_HEADS=2 ;;
    09-*) set -- "$@" --set validate.M=160 --set validate.N=96 --set bench.M=160 --set bench.N=160 --set bench.reps=3 ;;
    esac
    case $2 in 09-*) ! grep -q 'warmup_reps' "$1/$2.py" || set -- "$@" --set bench.warmup_reps=1 ;; esac
    from=$1 name=$2 code=$3 words=$4 wrong=$5
    shift 5
    (cd "$work" && "$TERN" exec --device cpu --points 1 --allow-write . "$@" "$name.py") >"$work/got" 2>"$work/err"
    rc=$?
    check "$name of $from ends with $code" test $rc = "$code"
    [ -z "$words" ] || check "$name prints $words" grep -q -e "$words" "$work/got"
    check "$name: results differ where they should" test "$(grep -c ❌ "$work/got")" = "$wrong"
    ! grep -q perf_report "$work/$name.py" || check "$name: its tables say that they are cut" grep -q '^(cut: 1 of ' "$work/got"
    [ $rc = "$code" ] || cat "$work/err"
}
if [ -f "${TERN_TUTORIALS:-/none}/01-vector-add.py" ]; then
    tutorial "$TERN_TUTORIALS" 01-vector-add 0 'The maximum difference between torch.* is 0.0' 0
    tutorial "$TERN_TUTORIALS" 02-fused-softmax 0 'softmax-performance:' 0
    tutorial "$TERN_TUTORIALS" 03-matrix-multiplication 0 'Triton and Torch match' 0
    tutorial "$TERN_TUTORIALS" 04-low-memory-dropout 0 'output (seed = 512)' 0
    tutorial "$TERN_TUTORIALS" 05-layer-norm 0 'layer-norm-backward:' 0
    tutorial "$TERN_TUTORIALS" 06-fused-attention 0 'bwd-causal=True.*:' 0
    tutorial "$TERN_TUTORIALS" 08-grouped-gemm 0 'group-gemm-performance-m-8192-k-8192:' 0
    tutorial "$TERN_TUTORIALS" 09-persistent-matmul 0 '^tflop16/s time/ms' 0
else
    skip 30 'no $TERN_TUTORIALS'
fi
if [ -f "${TERN_TUTORIALS_2024:-/none}/01-vector-add.py" ]; then
    tutorial "$TERN_TUTORIALS_2024" 01-vector-add 0 'The maximum difference between torch and triton is 0.0' 0
    tutorial "$TERN_TUTORIALS_2024" 02-fused-softmax 0 'softmax-performance:' 0
    tutorial "$TERN_TUTORIALS_2024" 03-matrix-multiplication 0 'Triton and Torch match' 0
    tutorial "$TERN_TUTORIALS_2024" 04-low-memory-dropout 0 'output (seed = 512)' 0
    tutorial "$TERN_TUTORIALS_2024" 05-layer-norm 0 'layer-norm-backward:' 0
    tutorial "$TERN_TUTORIALS_2024" 06-fused-attention 0 'bwd-causal=True:' 0
    tutorial "$TERN_TUTORIALS_2024" 08-grouped-gemm 0 'group-gemm-performance:' 0
    # Its kernels read rows from 0 in every block: wrong with Triton, too, where there is more than one.
    tutorial "$TERN_TUTORIALS_2024" 09-persistent-matmul 0 'persistent: ✅' 1
else
    skip 30 'no $TERN_TUTORIALS_2024'
fi
finish
