# SPDX-License-Identifier: Apache-2.0
# tern run: values, defaults, configs, outputs; and what it says to bad input.
. test/cli/lib.sh
export TERN_DEVICE=interp
k="$work/k.py"
cat >"$k" <<'END'
import triton
import triton.language as tl

@triton.jit
def add(x, y, n, bias=2.0, BLOCK: tl.constexpr = 8):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + bias, mask=i < n)

@triton.autotune(configs=[triton.Config({'BLOCK': 4}, num_warps=2), triton.Config({'BLOCK': 16}, num_warps=8)], key=['n'])
@triton.jit
def tuned(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, BLOCK, mask=i < n)

@triton.autotune(configs=[triton.Config({'BLOCK': 4}), triton.Config({'BLOCK': 4}, pre_hook=lambda args: args['y'].zero_())], key=['n'])
@triton.jit
def hooked(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, BLOCK, mask=i < n)

@triton.heuristics({'BLOCK': lambda args: triton.next_power_of_2(args['n'])})
@triton.jit
def heuristic(y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, BLOCK, mask=i < n)

@triton.jit
def chatty(y):
    tl.static_print("type", y.dtype)
    tl.device_print("value", 7)
    tl.store(y, 1.0)

@triton.jit
def past(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n))

@triton.jit
def beside(y, at):
    tl.store(y + at, 1.0)

@triton.jit
def minus91(y, n, STEP: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(y + i * STEP, -91, mask=i < n)

@triton.jit
def accumulate(x, y):
    i = tl.arange(0, 8)
    tl.store(y + i, tl.load(y + i) + tl.load(x + i))

@triton.jit
def outside(y):
    tl.store(y + 1000000, 1.0)
END

exits 0 'fp32[10]  changed  sum 65' $TERN run "$k:add" --grid 'cdiv(n,BLOCK)' -a 'x=arange(10)' -a 'y=empty(10)' -a 'n=numel(x)'
exits 0 '[2, 3, 4, 5]' $TERN run "$k:add" --grid 1 -a 'x=arange(4)' -a 'y=empty(4)' -a n=4 --print y
exits 0 '[1.5, 2.5]' $TERN run "$k:add" --grid 1 -a 'x=arange(2)' -a 'y=empty(2)' -a n=2 -a bias=1.5 -p y
exits 0 'not written 6 of 10' $TERN run "$k:add" --grid 1 -a 'x=arange(10)' -a 'y=empty(10)' -a n=4
exits 0 'unchanged' $TERN run "$k:add" --grid 1 -a 'x=arange(10)' -a 'y=empty(10)' -a n=4
# -91 is the byte that empty() leaves in an i8: what was written is known, not guessed.
for device in interp sim; do
    m="$TERN run $k:minus91 --grid 1 --device $device"
    exits 0 '"not_written":0,"not_written_is_sure":true' $m -a 'y=empty(8,i8)' -a n=8 -a STEP=1 --json
    exits 0 'not written 3 of 8' $m -a 'y=empty(8,i8)' -a n=5 -a STEP=1
    exits 0 'not written 2 of 8' $m -a 'y=empty(8,i8,strides=(3,))' -a n=6 -a STEP=3
    exits 0 'not written 1 of 8' $m -a 'y=empty(8,bool,strides=(2,))' -a n=7 -a STEP=2
    exits 1 "load of 4 bytes that nobody wrote: element 0 of 'y'" \
        $TERN run "$k:accumulate" --grid 1 --device $device -a 'x=arange(8)' -a 'y=empty(8)'
    exits 0 'changed' $TERN run "$k:accumulate" --grid 1 --device $device -a 'x=arange(8)' -a 'y=zeros(8)'
done
exits 0 'device: interp' $TERN run "$k:add" --grid 1 -a 'x=arange(4)' -a 'y=empty(4)' -a n=4
# Programs that run in one order on interp; sim looks at what orders them, and one program races with nobody.
exits 0 "races between programs: not looked for; 'tern check' looks for them" \
    $TERN run "$k:add" --grid 2 -a 'x=arange(16)' -a 'y=empty(16)' -a n=16
check 'nothing is said of races on sim, nor of one program' sh -c \
    "! { $TERN run $k:add --device sim --grid 2 -a 'x=arange(16)' -a 'y=empty(16)' -a n=16 &&
         $TERN run $k:add --grid 1 -a 'x=arange(4)' -a 'y=empty(4)' -a n=4; } | grep races"
exits 0 'signature: *fp32:16,*fp32:16,i32:16,fp32' $TERN run "$k:add" -v --grid 2 -a 'x=arange(16)' -a 'y=empty(16)' -a n=16
exits 0 'signature: *fp32,*fp32:16,i32:1,fp32' $TERN run "$k:add" -v --grid 1 -a 'x=arange(4,offset=1)' -a 'y=empty(4)' -a n=1
exits 0 'type pointer<fp32>' $TERN run "$k:chatty" --grid 1 -a 'y=empty(1)'
exits 0 'value: 7' $TERN run "$k:chatty" --grid 1 -a 'y=empty(1)' --json
exits 0 "[nan, nan]" $TERN run "$k:add" --grid 1 -a "x=zeros(2)" -a "y=empty(2)" -a n=0 -p y
if command -v python3 >/dev/null; then
    check 'the output of a kernel stays out of the JSON' sh -c \
        '"$0" run "$1:chatty" --grid 1 -a "y=empty(1)" --json 2>/dev/null | python3 -m json.tool' $TERN "$k"
fi
exits 0 'type pointer<fp32>' $TERN show "$k:chatty" --stage ir --sig '*fp32'
exits 0 'median of 3' $TERN run "$k:add" --repeat 3 --grid 1 -a 'x=arange(4)' -a 'y=empty(4)' -a n=4
exits 0 '"sum":14' $TERN run "$k:add" --json --grid 1 -a 'x=arange(4)' -a 'y=empty(4)' -a n=4
exits 0 'config 1 of 2' $TERN run "$k:tuned" --grid 'cdiv(n,BLOCK)' -a 'y=empty(8,i32)' -a n=8
exits 0 '[16, 16, 16]' $TERN run "$k:tuned" --config 2 --grid 1 -a 'y=empty(3,i32)' -a n=3 --print y
exits 0 'num_warps 8' $TERN run "$k:tuned" --config 2 --grid 1 -a 'y=empty(3,i32)' -a n=3
exits 0 "config 2 has a pre_hook, which is Python's to run" $TERN run "$k:hooked" --config 2 --grid 1 -a 'y=empty(3,i32)' -a n=3
$TERN run "$k:hooked" --config 1 --grid 1 -a 'y=empty(3,i32)' -a n=3 >"$work/.hook" 2>&1
check 'a config without a hook says nothing of one' test "$(grep -c pre_hook "$work/.hook")" = 0
exits 0 '[2, 2, 2]' $TERN run "$k:tuned" --grid 2 -a 'y=empty(3,i32)' -a n=3 -a BLOCK=2 --print y
exits 0 '[4, 4, 4]' $TERN run "$k:heuristic" --grid 1 -a 'y=empty(3,i32)' -a n=3 --print y
exits 0 'changed' $TERN run kernels/vector_add.py --grid 'cdiv(n,BLOCK)' -a 'x_ptr=randn(1000)' -a 'y_ptr=randn(1000)' \
    -a 'out_ptr=empty(1000)' -a 'n=numel(x_ptr)' -a BLOCK=256
if [ "$(wc -c <"$BUILD/tern")" -gt 0 ] && $TERN devices | grep -q '^cpu *here'; then
    exits 0 '[2, 3, 4, 5]' $TERN run "$k:add" --device cpu --grid 1 -a 'x=arange(4)' -a 'y=empty(4)' -a n=4 --print y
    exits 0 'perhaps not written 8 of 8' $TERN run "$k:minus91" --device cpu --grid 1 -a 'y=empty(8,i8)' -a n=8 -a STEP=1
    # What a kernel writes outside of a tensor is found on cpu too, in the red zones round it.
    p='-a x=arange(16) -a BLOCK=16 --device cpu --grid 1'
    exits 0 'changed' $TERN run "$k:past" $p -a 'y=empty(16)' -a n=16
    exits 1 "argument 'y': the kernel wrote outside of it, past its end: 4 bytes changed, the first in element 15" \
        $TERN run "$k:past" $p -a 'y=empty(15)' -a n=16
    exits 1 'past its end: 26 bytes changed, the first in element 3' $TERN run "$k:past" $p -a 'y=empty(3,fp16)' -a n=16
    exits 1 "--device interp" $TERN run "$k:past" $p -a 'y=empty(15)' -a n=16 --json
    exits 0 'changed' $TERN run "$k:beside" --device cpu --grid 1 -a 'y=empty(4)' -a at=3
    exits 1 'past its end: 4 bytes changed, the first in element 4' $TERN run "$k:beside" --device cpu --grid 1 -a 'y=empty(4)' -a at=4
    exits 1 'before its start: 4 bytes changed, the first in element -1' $TERN run "$k:beside" --device cpu --grid 1 -a 'y=empty(4)' -a at=-1
    exits 0 'changed' $TERN run "$k:beside" --device cpu --grid 1 -a 'y=empty(4,offset=2)' -a at=-1 # its own storage
    exits 1 'first in element 9' $TERN run "$k:beside" --device cpu --grid 1 -a 'y=empty(4,offset=2)' -a at=9
else
    skip 11 'no cpu device'
fi

# .npy in and out
exits 0 changed $TERN run "$k:add" --grid 1 -a 'x=arange(5)' -a 'y=empty(5)' -a n=5 --out "y=$work/y.npy"
exits 0 '[4, 5, 6, 7, 8]' $TERN run "$k:add" --grid 1 -a "x=@$work/y.npy" -a 'y=empty(5)' -a n=5 --print y
exits 0 '[4, 5, 6, 7, 8]' $TERN run "$k:add" --grid 1 -a "x=load('$work/y.npy',fp16)" -a 'y=empty(5,fp16)' -a n=5 --print y
head -c 140 "$work/y.npy" >"$work/short.npy"
exits 2 'its header says 20' $TERN run "$k:add" --grid 1 -a "x=@$work/short.npy" -a 'y=empty(5)' -a n=5
exits 2 'not a .npy file' $TERN run "$k:add" --grid 1 -a "x=@$k" -a 'y=empty(5)' -a n=5
exits 2 'No such file' $TERN run "$k:add" --grid 1 -a "x=@$work/none.npy" -a 'y=empty(5)' -a n=5
exits 4 'No such file' $TERN run "$k:add" --grid 1 -a 'x=arange(5)' -a 'y=empty(5)' -a n=5 --out "y=$work/no/y.npy"
if [ -w /dev/full ]; then
    exits 4 'No space left' $TERN run "$k:add" --grid 1 -a 'x=arange(5)' -a 'y=empty(5)' -a n=5 --out y=/dev/full
    check '/dev/full is still a device' test -c /dev/full
else
    skip 2 'no /dev/full'
fi

# arguments
good="-a x=arange(4) -a y=empty(4) -a n=4"
exits 2 '--grid is missing' $TERN run "$k:add" $good
exits 2 "argument 'n' of kernel 'add' is missing" $TERN run "$k:add" --grid 1 -a 'x=arange(4)' -a 'y=empty(4)'
exits 2 "has no parameter 'z'; it has: x, y, n, bias, BLOCK" $TERN run "$k:add" --grid 1 $good -a z=1
exits 2 "argument 'n' is given twice" $TERN run "$k:add" --grid 1 $good -a n=5
exits 2 'expected -a NAME=VALUE' $TERN run "$k:add" --grid 1 $good -a z
exits 2 "unknown name 'nn'" $TERN run "$k:add" --grid 1 $good -a bias=nn
exits 2 "is defined by itself" $TERN run "$k:add" --grid 1 $good -a bias=bias+1
exits 2 'expected 1 to 2147483647' $TERN run "$k:add" --grid 0 $good
exits 2 'expected 1 to 2147483647' $TERN run "$k:add" --grid 2147483648 $good
exits 2 'expected 1 to 2147483647' $TERN run "$k:add" --grid -1 $good
exits 2 'expected 1 to 65535' $TERN run "$k:add" --grid 1,65536 $good
exits 2 'more than 3 values' $TERN run "$k:add" --grid 1,1,1,1 $good
exits 2 'is a float' $TERN run "$k:add" --grid 4/2 $good
exits 2 'division by zero' $TERN run "$k:add" --grid 4//0 $good
exits 2 'takes no tensor' $TERN run "$k:add" --grid 1 $good -a 'BLOCK=zeros(4)'
exits 2 'k.py:' $TERN run "$k:add" --grid 1 -a x=3 -a 'y=empty(4)' -a n=4
exits 2 'k.py:' $TERN run "$k:add" --grid 1 $good -a BLOCK=7
exits 2 '--num-warps' $TERN run "$k:add" --grid 1 $good --num-warps 0
exits 2 '--num-warps' $TERN run "$k:add" --grid 1 $good --num-warps four
exits 2 '--repeat' $TERN run "$k:add" --grid 1 $good --repeat 0
exits 2 "no tensor argument 'n'" $TERN run "$k:add" --grid 1 $good --print n
exits 2 'expected NAME=FILE.npy' $TERN run "$k:add" --grid 1 $good --out y
exits 2 "kernel 'tuned' has 2" $TERN run "$k:tuned" --config 3 --grid 1 -a 'y=empty(3,i32)' -a n=3
exits 2 'both with -a and by --config' $TERN run "$k:tuned" --config 1 --grid 1 -a 'y=empty(3,i32)' -a n=3 -a BLOCK=2
exits 2 "kernel 'add' has 0" $TERN run "$k:add" --config 1 --grid 1 $good
exits 2 'GiB' $TERN run "$k:add" --grid 1 -a 'x=zeros(100000000000)' -a 'y=empty(4)' -a n=4
exits 2 '--print is for people' $TERN run "$k:add" --json --grid 1 $good --print y
exits 1 'outside the buffer' $TERN run "$k:outside" --grid 1 -a 'y=empty(4)'

# files
exits 2 'which kernel?' $TERN run "$k" --grid 1 $good
exits 2 "no @triton.jit function 'sub'" $TERN run "$k:sub" --grid 1 $good
exits 2 'No such file' $TERN run "$work/none.py" --grid 1
exits 2 'not a regular file' $TERN run "$work" --grid 1
exits 2 'not a regular file' $TERN run /dev/null --grid 1
: >"$work/empty.py"
exits 2 'no @triton.jit function' $TERN run "$work/empty.py" --grid 1
head -c 100000000 /dev/zero | tr '\0' '#' >"$work/large.py"
exits 2 'limit' $TERN run "$work/large.py" --grid 1
rm "$work/large.py"
printf '@triton.jit\ndef f(x):\n    y = %s1%s\n' "$(printf '%05000d' 0 | tr 0 '(')" "$(printf '%05000d' 0 | tr 0 ')')" >"$work/deep.py"
exits 2 'deep.py' $TERN run "$work/deep.py:f" --grid 1 -a 'x=empty(1)'
printf 'import triton\n@triton.jit\ndef f(x):\n    y = 1 \000 2\n' >"$work/nul.py"
exits 2 'nul.py:4' $TERN run "$work/nul.py:f" --grid 1 -a 'x=empty(1)'
printf 'import triton\n@triton.jit\ndef f(x):\n    y = 1 \377\376 2\n' >"$work/utf8.py"
exits 2 'utf8.py:4' $TERN run "$work/utf8.py:f" --grid 1 -a 'x=empty(1)'
printf 'import triton\n@triton.jit\ndef f(x:\n' >"$work/syntax.py"
exits 2 'syntax.py:' $TERN run "$work/syntax.py:f" --grid 1 -a 'x=empty(1)'
if [ "$(id -u)" != 0 ]; then
    chmod 000 "$k"
    exits 2 'Permission denied' $TERN run "$k:add" --grid 1 $good
else
    skip 1 'root may read everything'
fi

# Tensor descriptors and tuples.
cat >"$work/parts.py" <<'END'
import triton
import triton.language as tl

@triton.jit
def rows(desc, out, T: tl.constexpr):
    tl.store(out + tl.arange(0, 4), tl.sum(desc.load([0, 0]).to(T), 1))

@triton.jit
def scale(args, MODE: tl.constexpr):
    x, (n, by), none = args
    i = tl.arange(0, 8)
    tl.static_assert(none is None and MODE[1] == 2)
    tl.store(x + i, tl.load(x + i, mask=i < n) * by, mask=i < n)
END
rows="$TERN run $work/parts.py:rows --grid 1 -a out=empty(4) --print out"
for device in interp cpu sim; do
    exits 0 '[8, 8, 8, 0]' $rows --device $device -a 'desc=desc(ones(3,8,f16),(4,8))' -a 'T=dtype(out)'
    exits 0 '[0, 3, 6, 9, 4]' $TERN run "$work/parts.py:scale" --grid 1 --device $device --print args.0 \
        -a 'args=(arange(5),(4,3),none)' -a 'MODE=(1,2)'
done
exits 0 '[4, 4, 0, 0]' $rows -a 'desc=desc(ones(3,8,f16),(4,8),shape=(2,4),strides=(8,1))' -a T=fp32
exits 2 'its strides are not multiples of 16 bytes' $rows -a 'desc=desc(ones(3,7,f16),(4,8))' -a T=fp32
exits 2 'its last dimension is not contiguous' $rows -a 'desc=desc(ones(3,8,f16,strides=(1,8)),(4,8))' -a T=fp32
exits 2 "it reaches beyond its tensor's memory" $rows -a 'desc=desc(ones(3,8,f16),(4,8),shape=(4,8))' -a T=fp32
exits 2 'its block is not of powers of two' $rows -a 'desc=desc(ones(3,8,f16),(3,8))' -a T=fp32
exits 2 'as many ints' $rows -a 'desc=desc(ones(3,8,f16),(4,))' -a T=fp32
exits 2 "desc has no parameter 'pad'" $rows -a 'desc=desc(ones(3,8,f16),(4,8),pad=1)' -a T=fp32
exits 2 'expected desc(TENSOR, BLOCK_SHAPE)' $rows -a 'desc=desc(3,(4,8))' -a T=fp32
exits 2 'dtype: expected a tensor' $rows -a 'desc=desc(ones(3,8,f16),(4,8))' -a 'T=dtype(3)'
exits 2 "argument 'MODE': a tl.constexpr parameter takes no tensor" $TERN run "$work/parts.py:scale" --grid 1 \
    -a 'args=(arange(5),(4,3),none)' -a 'MODE=(1,ones(2))'
exits 2 'cannot be unpacked into 3 names' $TERN run "$work/parts.py:scale" --grid 1 -a 'args=arange(5)' -a 'MODE=(1,2)'
# ---- @triton.jit(do_not_specialize=..) and ints of 64 bits without a sign ----
cat >"$work/plain.py" <<'END'
import triton
import triton.language as tl

NAMES = ("n", )

@triton.jit(do_not_specialize=NAMES)
def by_name(y, n):
    tl.store(y, n.to(tl.float32) + 0.5)

@triton.jit(do_not_specialize=[0, 1])
def by_index(y, n):
    tl.store(y, n.to(tl.float32) + 0.5)

@triton.jit(do_not_specialize_on_alignment=["n", 0])
def unaligned(y, n):
    tl.store(y, n + 0.5)

@triton.jit
def large(y, n):
    tl.static_assert(n.dtype == tl.uint64)
    tl.store(y, n // 5)
END
p="$work/plain.py"
exits 0 'signature: *fp32:16,i32' $TERN run "$p:by_name" --grid 1 -a 'y=empty(1)' -a n=1 -v
exits 0 '[1.5]' $TERN run "$p:by_name" --grid 1 -a 'y=empty(1)' -a n=1 -p y
check 'no :1 is said of it' sh -c '! "$0" run "$1:by_name" --grid 1 -a "y=empty(1)" -a n=1 -v | grep -q i32:' $TERN "$p"
check 'nor :16' sh -c '! "$0" run "$1:by_index" --grid 1 -a "y=empty(1)" -a n=16 -v | grep -q :16' $TERN "$p"
exits 0 'signature: *fp32,i32' $TERN run "$p:by_index" --grid 1 -a 'y=empty(1)' -a n=16 -v
exits 0 'signature: *fp32,i32:1' $TERN run "$p:unaligned" --grid 1 -a 'y=empty(1)' -a n=1 -v
check 'nor :16 of what is listed for alignment' sh -c \
    '! "$0" run "$1:unaligned" --grid 1 -a "y=empty(1)" -a n=16 -v | grep -q :16' $TERN "$p"
for device in interp cpu sim; do
    exits 0 '[3689348814741910323]' $TERN run "$p:large" --grid 1 -a 'y=empty(1,u64)' -a n=18446744073709551615 -p y --device $device
done
exits 2 '18446744073709551616 does not fit in 64 bits' $TERN run "$p:large" --grid 1 -a 'y=empty(1,u64)' -a n=18446744073709551616
exits 2 'arithmetic on ints is of 64 bits with a sign' $TERN run "$p:large" --grid 1 -a 'y=empty(1,u64)' -a n=18446744073709551615+0

# ---- aliases that packages hand on: conditions on versions and vendors, try, import * ----
pkg="$work/pkg"
mkdir -p "$pkg/utils" "$pkg/runtime" "$pkg/ops"
: >"$pkg/ops/__init__.py"
cat >"$pkg/__init__.py" <<'END'
from .utils import *
from . import runtime
END
cat >"$pkg/utils/__init__.py" <<'END'
import triton
from packaging import version
from .base import *
if version.parse(triton.__version__) >= version.parse("3.2.0"):
    from . import new as lang_extension
else:
    from . import old as lang_extension
try:
    from .not_there import fancy as half
except ImportError:
    from .base import half
END
cat >"$pkg/utils/base.py" <<'END'
import triton
from ..runtime import backend
try:
    from triton.language.extra.cuda import libdevice
except ImportError:
    from triton.language.extra import libdevice
tanh = backend.get("tanh", libdevice.tanh)
@triton.jit
def half(x):
    return x / 2
END
cat >"$pkg/runtime/__init__.py" <<'END'
import os
vendors = {"nvidia": 1, "amd": 2}
backend = {}
vendor = os.environ.get("VENDOR", "nvidia")
chosen = None
def choose(name):
    global chosen
    chosen = name
def get_chosen():
    return chosen
END
cat >"$pkg/utils/new.py" <<'END'
import triton
import triton.language as tl
SOME = 3
@triton.jit
def program_id(axis: tl.constexpr):
    return tl.program_id(axis).to(tl.int64)
END
cat >"$pkg/ops/k.py" <<'END'
import triton
import triton.language as tl
from pkg.utils import lang_extension as tle
from pkg import utils, runtime
from ..utils.base import tanh
import pkg.utils.base as base
from pkg.utils import *
@triton.jit
def k(y):
    pid = tle.program_id(0)
    tl.static_assert(pid.dtype == tl.int64)
    v = tanh(tl.load(y + pid)) + lang_extension.SOME
    if len(runtime.vendors) == 2:
        tl.store(y + pid, utils.half(v) + base.half(v) * half(2.0))
END
exits 0 '[3]' $TERN run "$pkg/ops/k.py:k" --grid 1 -a 'y=zeros(1)' -p y
# What a function sets with 'global' is not what the file says of it.
cat >>"$pkg/ops/k.py" <<'END'
try:
    shim = runtime.get_chosen()
except ImportError:
    shim = tl.math
exp = shim.exp
@triton.jit
def set_by_function(y):
    tl.store(y, exp(tl.load(y)))
END
exits 0 '[1]' $TERN run "$pkg/ops/k.py:set_by_function" --grid 1 -a 'y=zeros(1)' -p y

# ---- tuples: nested, with names, with items that are known at compile time ----
cat >"$work/tuples.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def nested(t, y):
    i = tl.arange(0, t[1][0])[:, None]
    j = tl.arange(0, t[1][1])[None, :]
    sum = tl.zeros(t[1], tl.int32)
    for k in tl.static_range(len(t[0])):
        sum += tl.load(t[0][k] + i * t[2][0] + j * t[2][1])
    tl.store(y + i * t[1][1] + j, sum)


@triton.jit
def named(a, y, n):
    i = tl.arange(0, a.block)
    tl.store(y + i, tl.load(a.pointer + i * a.strides[0], mask=i < n, other=7) + len(a.strides))
END
for device in interp cpu sim; do
    tuples="$TERN run --device $device --grid 1 -p y"
    exits 0 '[20, 22, 24, 26]]' $tuples "$work/tuples.py:nested" -a 'y=empty(2,4,i32)' \
        -a 't=((arange(20,i32),arange(20,i32)),(constexpr(2),constexpr(4)),(10,1))'
    exits 0 '[2, 6, 10, 9]' $tuples "$work/tuples.py:named" -a 'y=empty(4,i32)' -a n=3 \
        -a 'a=(pointer=arange(20,i32),strides=(4,1),block=constexpr(4))'
done
exits 2 'expected a name for each item or for none' $tuples "$work/tuples.py:named" -a 'y=empty(4,i32)' -a n=3 -a 'a=(pointer=1,2)'
exits 2 'a constexpr holds no tensor' $tuples "$work/tuples.py:named" -a 'y=empty(4,i32)' -a n=3 -a 'a=constexpr(ones(4))'

# ---- a loop that does not end is stopped ----
printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(y):' '    v = tl.load(y)' \
    '    while v >= 0:' '        v = (v + 1) % 1000003' '    tl.store(y, v)' >"$work/endless.py"
for device in interp cpu sim; do
    exits 1 'the launch takes longer than its time limit' $TERN run "$work/endless.py" --device $device --grid 1 -a 'y=ones(1,i32)' --timeout 200
    exits 1 'the launch takes longer than its time limit' $TERN bench "$work/endless.py" --device $device --allow-slow --grid 1 -a 'y=ones(1,i32)' --timeout 200
done
exits 2 '--timeout' $TERN run "$work/endless.py" --device interp --grid 1 -a 'y=ones(1,i32)' --timeout 0

# ---- a warning is shown, once, and is no part of JSON ----
printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(y):' \
    '    tl.store(y, tl.load(y) << 32)' >"$work/warned.py"
warned="$TERN run $work/warned.py --device interp --grid 1"
exits 0 'warned.py:5:17: warning: a shift of int32 by 32 gives 0 here' $warned -a 'y=ones(1,i32)'
check 'and with -v once' sh -c "test \$($warned -v -a 'y=ones(1,i32)' 2>&1 | grep -c warning:) = 1"
check 'not on stdout' sh -c "! $warned --json -a 'y=ones(1,i32)' 2>/dev/null | grep warning:"
check 'nor with -q' sh -c "! $warned -q -a 'y=ones(1,i32)' 2>&1 | grep warning:"

# ---- two kernels of one name, and names of the module that only Python knows ----
cat >"$work/twice.py" <<'END'
import sys
import triton
import triton.language as tl
from not_here import scale

LIMIT = int(sys.argv[1])

if LIMIT > 3:
    @triton.jit
    def twice(y):
        tl.store(y, 10.0)
else:
    @triton.jit
    def twice(y):
        tl.store(y, 14.0)

@triton.jit
def limited(y):
    tl.store(y, LIMIT + scale)

def around(FACTOR, OTHER=2):
    if FACTOR:
        OTHER = 3
    @triton.jit
    def closed(y):
        tl.store(y, FACTOR * 10.0 + OTHER)
    return closed
END
t=$work/twice.py
exits 0 '[10]' $TERN run "$t:twice@10" --grid 1 -a 'y=empty(1)' -p y
exits 0 '[10]' $TERN run "$t:twice@9" --grid 1 -a 'y=empty(1)' -p y
exits 0 '[14]' $TERN run "$t:twice@14" --grid 1 -a 'y=empty(1)' -p y
exits 0 '[14]' $TERN run "$t:twice" --global LIMIT=1 --grid 1 -a 'y=empty(1)' -p y
exits 0 '[10]' $TERN run "$t:twice" --global LIMIT=4 --grid 1 -a 'y=empty(1)' -p y
exits 2 "no @triton.jit function 'twice'; there is twice@10, twice@14" $TERN run "$t:twice" --grid 1 -a 'y=empty(1)'
exits 2 "no @triton.jit function 'twice@12'; there is twice@10, twice@14" $TERN run "$t:twice@12" --grid 1 -a 'y=empty(1)'
exits 2 "no @triton.jit function 'twice@10x'" $TERN run "$t:twice@10x" --grid 1 -a 'y=empty(1)'
exits 2 'twice@10' $TERN run "$t" --grid 1 -a 'y=empty(1)'
exits 2 "the value of 'int(sys.argv[1])' is not known at compile time" $TERN run "$t:limited" --grid 1 -a 'y=empty(1)'
exits 2 '--global LIMIT=VALUE gives it one' $TERN run "$t:limited" --grid 1 -a 'y=empty(1)'
exits 2 "the module 'not_here' is not found: it has 'scale'" \
    $TERN run "$t:limited" --grid 1 -a 'y=empty(1)' --global LIMIT=5
exits 0 '[5.5]' $TERN run "$t:limited" --grid 1 -a 'y=empty(1)' -p y --global LIMIT=5 --global scale=0.5
# What decorators of one's own choose, in this file and an imported one, is told on the command line.
cat >"$work/shims.py" <<'END'
import triton


def known(function):
    return function


@known
@triton.jit
def mod(x, y):
    return x + y


@triton.jit
def both(x):
    return mod(x, 4.0)
END
cat >"$work/wrapped.py" <<'END'
import triton
import triton.language as tl
from shims import both, known


@known
@triton.jit
def own(x):
    return x / 2


@triton.jit
def halved(y):
    tl.store(y, own(7.0))


@triton.jit
def taken(y):
    tl.store(y, both(7.0))
END
w="$TERN run $work/wrapped.py"
exits 3 "'own' is not supported: it is what the decorator 'known' makes" $w:halved --grid 1 -a 'y=empty(1)'
exits 3 "--global 'own=FILE.py:own' for its text" $w:halved --grid 1 -a 'y=empty(1)'
exits 0 '[3.5]' $w:halved --grid 1 -a 'y=empty(1)' -p y --global "own=$work/wrapped.py:own"
exits 0 '[11]' $w:taken --grid 1 -a 'y=empty(1)' -p y --global "$work/shims.py:mod=$work/shims.py:mod"
exits 0 '[3]' $w:taken --grid 1 -a 'y=empty(1)' -p y --device cpu \
    --global "$work/../${work##*/}/shims.py:mod=triton.language.extra.libdevice.fmod"
exits 2 "'triton.language.extra.libdevice.fmodd' is not known" \
    $w:taken --grid 1 -a 'y=empty(1)' --global "$work/shims.py:mod=triton.language.extra.libdevice.fmodd"
exits 2 "/none.py' cannot be read" $w:taken --grid 1 -a 'y=empty(1)' --global "$work/none.py:mod=1"
# A module of Triton's that a function only adds to is what it was; where it might do more, it is not known.
cat >"$work/patch.py" <<'END'
import triton
import triton.language as tl
from not_here import backend

try:
    shim = backend.get()
except ImportError:
    shim = triton.language.extra.libdevice
other = shim


def add(module, names):
    for name in names:
        if hasattr(module, name):
            continue
        found = backend.find(name)
        if found is not None:
            setattr(module, name, found)
    return module


def replace(module, name):
    setattr(module, name, backend.find(name))
    return module


shim = add(shim, ("floor", "fast_gelu"))
other = replace(other, "floor")
floor = shim.floor


@triton.jit
def added(y):
    tl.store(y, floor(2.5) + shim.ceil(3.5))


@triton.jit
def replaced(y):
    tl.store(y, other.floor(2.5))
END
p="$TERN run $work/patch.py"
exits 0 '[6]' $p:added --grid 1 -a 'y=empty(1)' -p y
exits 2 '--global other=VALUE gives it one' $p:replaced --grid 1 -a 'y=empty(1)'
exits 0 '[2]' $p:replaced --grid 1 -a 'y=empty(1)' -p y --global other=triton.language.extra.libdevice
# A function of another file, the last of its name or by line.
cat >"$work/steps.py" <<'END'
@triton.jit
def step(x):
    return x + 1


@triton.jit
def step(x):
    return x + 2
END
cat >"$work/stepped.py" <<'END'
import triton.language as tl


@triton.jit
def stepped(y):
    tl.store(y, by(tl.load(y)))
END
stepped="$TERN run $work/stepped.py:stepped --grid 1 -a y=ones(1) -p y --device interp --global"
exits 0 '[3]' $stepped "by=$work/steps.py:step"
exits 0 '[2]' $stepped "by=$work/steps.py:step@2"
exits 2 "the file has no @triton.jit function 'none'" $stepped "by=$work/steps.py:none"
exits 2 "the file has no @triton.jit function 'step@4'" $stepped "by=$work/steps.py:step@4"
exits 2 'cannot be read' $stepped "by=$work/nothing.py:step"
exits 2 'expected NAME=VALUE' $TERN run "$t:limited" --grid 1 -a 'y=empty(1)' --global LIMIT
exits 2 '--global FACTOR=VALUE gives it one' $TERN run "$t:closed" --grid 1 -a 'y=empty(1)'
exits 2 '--global OTHER=VALUE gives it one' $TERN run "$t:closed" --grid 1 -a 'y=empty(1)' --global FACTOR=4
exits 0 '[47]' $TERN run "$t:closed" --grid 1 -a 'y=empty(1)' -p y --global FACTOR=4 --global OTHER=7

cat >"$work/words.py" <<'END'
import triton
import triton.language as tl

@triton.jit
def three(out, by=3.0):
    tl.store(out + tl.arange(0, 4), tl.zeros([4], tl.float32) + by)

@triton.jit
def both(a, b):
    tl.store(a + tl.arange(0, 4), 1.0)
    tl.store(b + tl.arange(0, 4), 1.0)
END

# The C compiler may have options, of which the cache knows.
printf '#!/bin/sh\nexec cc "$@"\n' >"$work/my cc"
cat >"$work/with" <<END
#!/bin/sh
TERN_CC=\$1 exec "$TERN" run kernels/vector_add.py --device cpu --grid 1 -a 'x_ptr=ones(4)' -a 'y_ptr=ones(4)' \\
    -a 'out_ptr=empty(4)' -a n=4 -a BLOCK=4 -p out_ptr
END
chmod +x "$work/my cc" "$work/with"
if command -v cc >/dev/null 2>&1; then
    exits 0 '[2, 2, 2, 2]' "$work/with" 'cc -O2  -fno-math-errno'
    exits 4 'no-such-option' "$work/with" 'cc -fno-such-option'
    exits 4 'more than 119 options' "$work/with" "cc$(printf ' -O2%.0s' $(seq 120))"
    exits 0 '[2, 2, 2, 2]' "$work/with" "$work/my cc"
    # What it says is not ours, it reads nothing of ours, and its environment is ours, but for one TMPDIR.
    printf '#!/bin/sh\necho noise\nenv >"%s/env"\ncat >"%s/read"\nexec cc "$@"\n' "$work" "$work" >"$work/loud-cc"
    chmod +x "$work/loud-cc"
    echo input | FIRST=1 TMPDIR=/nowhere LAST=2 "$work/with" "$work/loud-cc" >"$work/said" 2>&1
    check 'its words are not ours' sh -c "grep -q '2, 2, 2, 2' '$work/said' && ! grep -q noise '$work/said'"
    check 'it reads nothing' test ! -s "$work/read"
    check 'one TMPDIR' sh -c "[ \$(grep -c ^TMPDIR= '$work/env') = 1 ] && ! grep -q TMPDIR=/nowhere '$work/env'"
    check 'and all else' sh -c "grep -q ^FIRST=1 '$work/env' && grep -q ^LAST=2 '$work/env'"
else
    skip 8 'no C compiler'
fi

# What a text tells gcc of optimization is known to it, and leaves products added in one instruction.
cat >"$work/keeps" <<END
#!/bin/sh
for word in "\$@"; do case \$word in *.c) cp "\$word" "$work/seen.c" ;; esac; done
exec gcc "\$@"
END
chmod +x "$work/keeps"
if command -v gcc >/dev/null 2>&1; then
    exits 0 '[2, 2, 2, 2]' "$work/with" "$work/keeps"
    sed '/^\/\* kernel /,$d' "$work/seen.c" >"$work/sum.c" # what stands above the text
    check 'a text tells gcc' grep -q '^#pragma GCC optimize' "$work/sum.c"
    check 'gcc knows the options' gcc -Werror=pragmas -fsyntax-only "$work/sum.c"
    echo 'float sum(float a, float b, float c) { return a * b + c; }' >>"$work/sum.c"
    if gcc -O2 -mfma -ffp-contract=fast -S "$work/sum.c" -o "$work/sum.s" 2>/dev/null; then
        check 'gcc adds products in one instruction' grep -q fmadd "$work/sum.s"
    else
        skip 1 'gcc is for another processor'
    fi
else
    skip 4 'no gcc'
fi
exits 4 'looked for none-such -O2' "$work/with" 'none-such -O2'

# A file from standard input.
add() { $TERN run "$@" --device interp --grid 1 -a 'x_ptr=ones(4)' -a 'y_ptr=ones(4)' -a 'out_ptr=empty(4)' -a n=4 -a BLOCK=4 -p out_ptr; }
add - <kernels/vector_add.py >"$work/.in" 2>&1
check 'standard input' grep -qF '[2, 2, 2, 2]' "$work/.in"
add -:vector_add_kernel <kernels/vector_add.py >"$work/.in" 2>&1
check 'and a kernel of it' grep -qF '[2, 2, 2, 2]' "$work/.in"
printf 'import triton\n@triton.jit\ndef f(x_ptr, y_ptr, out_ptr, n, BLOCK):\n    y = nothing\n' | add - >"$work/.in" 2>&1
check 'a mistake in it has its place' grep -q '^<stdin>:4:9: error: ' "$work/.in"
head -c 70000000 /dev/zero | add - >"$work/.in" 2>&1
check 'and it has an end' grep -q 'standard input is larger than 64 MiB' "$work/.in"
for command in exec fuse; do
    exits 3 'a program is not read from standard input' sh -c "echo 'print(1)' | '$TERN' $command -"
done
# What a program is given is none: nothing is read for it.
echo 'import sys; print(sys.argv[1])' >"$work/argument.py"
mkfifo "$work/silent"
exits 0 '-' sh -c "exec 3<>'$work/silent'; timeout 20 '$TERN' exec --device cpu '$work/argument.py' - <&3"

# --check
add kernels/vector_add.py --check interp >"$work/.in" 2>&1
check 'a right result is checked' grep -q '^checked: interp$' "$work/.in"
exits 0 'checked: out=full(4,3.0)' $TERN run "$work/words.py:three" --grid 1 -a 'out=empty(4)' --check 'out=full(4,3.0)'
exits 1 "wrong result: 4 of 4 elements of 'out' differ; [0] is 3, not 2" \
    $TERN run "$work/words.py:three" --grid 1 -a 'out=empty(4)' --check 'out=full(4,2.0)'
exits 0 'wrote' sh -c "$TERN run '$work/words.py:three' --grid 1 -a 'out=empty(4)' --out out='$work/three.npy' && echo wrote"
exits 0 "checked: $work/three.npy" $TERN run "$work/words.py:three" --grid 1 -a 'out=empty(4)' --check "$work/three.npy"
exits 0 '"checked":true' $TERN run "$work/words.py:three" --json --grid 1 -a 'out=empty(4)' --check "$work/three.npy"
exits 1 'wrong result' $TERN run "$work/words.py:three" --grid 1 -a 'out=empty(4)' -a 'by=2.0' --check "$work/three.npy"
# bf16 and f8 are written as their bits, and are read back as such.
for type in bf16 fp8e4nv fp8e5; do
    cast="$TERN run $work/words.py:three --grid 1"
    exits 0 'checked' sh -c "$cast -a 'out=empty(4,$type)' --out out='$work/bits.npy' && $cast -a 'out=empty(4,$type)' --check '$work/bits.npy'"
    exits 0 "checked: out=load(\"$work/bits.npy\",$type)" $cast -a "out=empty(4,$type)" --check "out=load(\"$work/bits.npy\",$type)"
    exits 1 '[0] is 2, not 3' $cast -a "out=empty(4,$type)" -a by=2.0 --check "$work/bits.npy"
done
exits 2 'expected interp, or NAME=VALUE of a tensor' $TERN run "$work/words.py:three" --grid 1 -a 'out=empty(4)' --check pytorch
exits 2 'the kernel changed 2 tensors: say which, as NAME=@FILE.npy' $TERN run "$work/words.py:both" --grid 1 -a 'a=empty(4)' \
    -a 'b=empty(4)' --check "$work/three.npy"

# With --json an error is an object on stdout, too.
$TERN run --json "$work/words.py:none" --grid 1 >"$work/.json" 2>/dev/null
check 'a wrong name' grep -qF '{"error":"' "$work/.json"
check 'has its exit code' grep -qF '"exit_code":2}' "$work/.json"
printf 'import triton\n@triton.jit\ndef f(x):\n    y = nothing\n' >"$work/wrong.py"
$TERN show --json --stage ir --sig '*fp32' "$work/wrong.py" >"$work/.json" 2>"$work/.err"
check 'an error has its place' grep -qF "\"file\":\"$work/wrong.py\",\"line\":4," "$work/.json"
check 'people have their text' grep -q 'wrong.py:4:9: error: ' "$work/.err"
exits 2 '"error":"' $TERN run --json --frobnicate
exits 2 '"exit_code":2}' $TERN devices x --json

printf '.version 8.0\n' >"$work/k.ptx"
exits 3 'k.ptx: code for a GPU as a source is not supported' "$TERN" run "$work/k.ptx:x"
finish
