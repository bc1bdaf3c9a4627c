# SPDX-License-Identifier: Apache-2.0
# tern check: the planted mistakes of test/check are found where they are and nothing else is, kernels
# that are right are not called wrong, and the forms of its output are what their readers take.
. test/cli/lib.sh

if command -v python3 >/dev/null 2>&1; then
    check 'the planted mistakes' python3 test/cli/check_planted.py $TERN test/check/*.py
    check 'mistakes planted in CUDA C' python3 test/cli/cuda_planted.py $TERN
    check 'the run tests are right' python3 test/cli/check_good.py $TERN test/run/*.py
    check 'JSON, SARIF, annotations' python3 test/cli/check_forms.py $TERN
else
    skip 4 'no python3'
fi

rows="-x rows=4 -a columns=100 -a x_ptr=randn(rows,columns) -a out_ptr=empty(rows,columns)
    -a x_stride=stride(x_ptr,0) -a out_stride=stride(out_ptr,0) -a BLOCK=next_power_of_2(columns)"
vector='-a n=1000 -a out_ptr=empty(n) -a x_ptr=randn(n) -a BLOCK=256 --grid cdiv(n,BLOCK)'
exits 0 '0 findings, 0 pieces of advice' $TERN check kernels/softmax.py $rows --grid rows
exits 0 'columns = 101; gaps in the tensors' $TERN check kernels/softmax.py $rows --grid rows
exits 0 'checked on: interp; sim:h200; cpu' $TERN check kernels/gelu.py $vector
exits 0 'n = 1; n = 255; n = 256; n = 257; n = 1001' $TERN check kernels/gelu.py $vector
exits 0 'n = 0: --grid: dimension 0 is 0' $TERN check kernels/gelu.py $vector
exits 0 'gelu.py: 0 findings' $TERN check kernels/gelu.py kernels/gelu.py:gelu_kernel $vector
# Sizes that are numbers somewhere are not varied, and that is said.
exits 0 "other values of 'n': the tensors are not" $TERN check kernels/gelu.py -a n=1000 \
    -a 'x_ptr=randn(1000)' -a 'out_ptr=empty(1000)' -a BLOCK=256 --grid 'cdiv(n,BLOCK)'

bad=test/check/no_mask.py
planted="-a n=1024 -a x=randn(n) -a y=empty(n) -a BLOCK=256 --grid cdiv(n,BLOCK)"
exits 1 "$bad:13:21: error: load of 4 bytes outside the buffer of 'x'" $TERN check $bad $planted
exits 1 '  13 |     tl.store(y + i, tl.load(x + i) * 2)' $TERN check $bad $planted
exits 1 'cure: mask the lanes that lie outside' $TERN check $bad $planted
exits 1 'lane [1], on interp, with n = 1' $TERN check $bad $planted
exits 1 '::error file=test/check/no_mask.py,line=13,col=21,title=out-of-bounds::' \
    $TERN check $bad $planted --format github

# What is wrong with the call, or the launch itself, is no finding.
exits 2 'which FILE' $TERN check
exits 2 'No such file' $TERN check nowhere.py
exits 2 '--format: expected text' $TERN check $bad $planted --format xml
exits 2 'interp and sim run all launches' $TERN check $bad $planted --device sim
exits 2 "argument 'x' of kernel 'k' is missing" $TERN check $bad --grid 1
exits 2 '-x: expected NAME=N' $TERN check $bad $planted -x rows
exits 2 "-x: 'm' is given twice" $TERN check $bad $planted -x m=1 -x m=2
exits 2 'invalid_name' $TERN check test/check/no_mask.py:invalid_name $planted
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x, y)\n' >"$work/bad.py"
exits 2 "'y' is not defined" $TERN check "$work/bad.py" -a 'x=zeros(1)' --grid 1
# What takes too long is not decided: it is listed as not checked.
cat >"$work/long.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def k(x, n):
    s = 0
    for i in range(n):
        s = s * 3 + i
    tl.store(x, s)
END
exits 2 'takes longer than its time limit' $TERN check "$work/long.py" -a 'x=zeros(1,i32)' \
    -a n=2000000000 --grid 1 --timeout 50
finish
