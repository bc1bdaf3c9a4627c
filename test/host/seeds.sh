# SPDX-License-Identifier: Apache-2.0
# The files and functions of the lecture notes in $TERN_SEEDS run as they stand: each block of code is cut out of its
# page; what a page leaves out (imports, a tensor, a print) is added around it, sizes are cut where they are
# 10,000 x 10,000. Without the notes, stand-ins: compiled.py, nn.py, kernels.py, run.sh.
. test/cli/lib.sh
if [ -z "${TERN_SEEDS:-}" ] || ! ls "$TERN_SEEDS"/*.txt >"$work/.out" 2>&1; then
    skip 20 'no $TERN_SEEDS'
    finish
    exit 0
fi
i=0
for page in "$TERN_SEEDS"/*.txt; do
    awk -v head="$work/block_$i" '/^```/ { if (on) { on = 0 } else { n++; on = 1 } next } on { print > (head "_" n) }' "$page"
    i=$((i + 1))
done
# block WORDS: the block that has them all, a pattern each.
block() {
    for file in "$work"/block_*; do
        found=1
        for word; do grep -q -e "$word" "$file" || found=0; done
        [ $found = 1 ] && cat "$file" && return
    done
}
case $TERN in
/*) tern=$TERN ;;
*) tern=$PWD/$TERN ;;
esac
# runs NAME WORDS OPTION..: NAME.py; what it prints has the words.
runs() {
    name=$1 words=$2
    shift 2
    (cd "$work" && "$tern" exec --device cpu "$@" "$name.py") >"$work/got" 2>"$work/err"
    rc=$?
    check "$name ends well" test $rc = 0
    [ "$words" = none ] || check "$name prints $words" grep -q -e "$words" "$work/got"
    [ $rc = 0 ] || cat "$work/err"
}
common='import time, torch, triton
import triton.language as tl
from typing import Callable
from torch.profiler import ProfilerActivity
def mean(x): return sum(x) / len(x)'
{ echo "$common"; block '^def manual_softmax' '^def triton_softmax'; cat <<'END'
x = torch.randn(37, 781, device='cuda')
compiled = torch.compile(manual_softmax)
want = torch.softmax(x, dim=-1)
print([torch.allclose(f(x), want) for f in (manual_softmax, triton_softmax, compiled)])
END
} >"$work/softmax.py"
runs softmax '\[True, True, True\]'
{ echo "$common"; block '^def benchmark(description'; block '^def profile(description'; block '^def triton_gelu_kernel'; cat <<'END'
def manual_gelu(x: torch.Tensor):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))
def pytorch_gelu(x: torch.Tensor):
    return torch.nn.functional.gelu(x, approximate="tanh")
def triton_gelu(x: torch.Tensor):
    y = torch.empty_like(x)
    triton_gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK_SIZE=1024)
    return y
x = torch.randn(512, 512, device='cuda')
forms = [manual_gelu, pytorch_gelu, triton_gelu, torch.compile(manual_gelu)]
print([torch.allclose(f(x), pytorch_gelu(x), atol=1e-5) for f in forms], all(benchmark('', lambda: f(x)) > 0 for f in forms))
print(profile('manual', lambda: manual_gelu(x)), profile('compiled', lambda: forms[3](x)))
END
} >"$work/gelu.py"
runs gelu '\[True, True, True, True\] True'
check 'the table has what ran' grep -q 'tanh.*1  $' "$work/got"
check 'the compiled form is one row' grep -q 'manual_gelu' "$work/got"
block 'square_matrix_kernel' '^import torch' >"$work/inline.py"
runs inline '16., 25., 36.'
block 'load_inline(' 'gelu.cu' >"$work/create"
block 'gelu_kernel<<<' 'TORCH_CHECK' >"$work/gelu.cu"
{ cat "$work/create"; cat <<'END'
import torch
gelu, x = create_cuda_gelu(), torch.randn(5, 300, device='cuda')
print('close', torch.allclose(gelu(x), torch.nn.functional.gelu(x, approximate='tanh'), atol=1e-5))
END
} >"$work/create.py"
runs create 'close True' --allow-read "$work" --allow-write "$work"
block '^def square_kernel' 'perf_report' >"$work/square.py"
runs square 'Torch (compiled)' --allow-write "$work" --points 1
{ echo 'import torch'; echo 'def square_2(a): return a * a'; echo 'def square_3(a): return a ** 2'
  echo 'b = torch.randn(300, 300).cuda()'; block '^def time_pytorch_function(func, input):'; cat <<'END'
for f in (torch.square, square_2, square_3):
    with torch.autograd.profiler.profile(use_cuda=True) as prof:
        f(b)
    print(prof.key_averages().table(sort_by="cuda_time_total", row_limit=10))
END
} >"$work/time.py"
runs time 'Self CPU time total'
block '^def mean_all_by_torch' | sed '/^!/d; s/10000, 10000/300, 300/' >"$work/mean.py"
runs mean 'manual mean time: [0-9]'
block 'mean_trace.json' | sed 's/10000, 10000/100, 100/' >"$work/trace.py"
runs trace none --allow-write "$work"
check 'the trace is there' grep -q traceEvents "$work/mean_trace.json"
# Of a million numbers without a seed: about 1e-9, now and then none.
block '^def mean_kernel' >"$work/tmean.py"
runs tmean 'Difference: \(0\.0$\|[0-9.]*e-\(0[789]\|1[0-9]\)$\)'
finish
