# SPDX-License-Identifier: Apache-2.0
# CUDA C of the seeds, cut out of their pages unchanged: GELU in both forms and square_matrix through
# their wrappers and kernel by kernel, and the script that loads one inline, on each device that is
# here, against float64. TERN_SEEDS is the folder of the pages.
. test/cli/lib.sh
cut() { # cut FROM TO: the lines of one page between two patterns, the last one not among them
    sed -n "/$1/,/$2/p" "$TERN_SEEDS"/"$3" | sed '$d'
}

cat >"$work/check.py" <<'EOF'
"""make FILE ROWS COLUMNS: numbers on both sides of 0. gelu|gelu_product|square X Y: is Y as it is to be?"""
import math, struct, sys

def read(path):
    text = open(path, "rb").read()
    start = 10 + struct.unpack("<H", text[8:10])[0]
    return text[:start], struct.unpack(f"<{(len(text) - start) // 4}f", text[start:])

def gelu(x, factor):
    return 0.5 * x * (1.0 + math.tanh(factor * (x + 0.044715 * x * x * x)))

what, first, second = sys.argv[1:4]
if what == "make":
    rows, columns = int(second), int(sys.argv[4])
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}".ljust(117) + "\n"
    values = [((i * 7919) % 1000 - 500) / 97.0 for i in range(rows * columns)]
    with open(first, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))
else:
    x, y = read(first)[1], read(second)[1]
    want = {"gelu": lambda v: gelu(v, math.sqrt(2.0 / math.pi)), "gelu_product": lambda v: gelu(v, 0.79788456),
            "square": lambda v: v * v}[what]
    off = [i for i in range(len(x)) if not abs(y[i] - want(x[i])) <= 1.2e-7 * abs(want(x[i])) + 1e-15]
    if len(x) != len(y) or off:
        sys.exit(f"{len(x)} and {len(y)} numbers, {len(off)} wrong, the first at {off[:1]}")
EOF
numbers() { python3 "$work/check.py" "$@"; }

# both WHAT TEXT KERNEL GRID BLOCK: its wrapper, then its kernel alone.
both() {
    rm -f "$work/y.npy" "$work/z.npy"
    check "$1 on $device" "$TERN" exec --device "$device" "$work/$2:${3%_kernel}" -a "$6=@$work/x.npy" -o "$work/y.npy"
    check "$1 on $device is as in float64" numbers "$1" "$work/x.npy" "$work/y.npy"
    input=$7 output=$8 names=$9
    # shellcheck disable=SC2086  # names are several words
    check "$3 on $device" "$TERN" run -q --device "$device" "$work/$2:$3" --grid "$4" --block "$5" \
        -a "$input=@$work/x.npy" -a "$output=empty(21,137)" $names -o "$output=$work/z.npy"
    check "$3 on $device is as in float64" numbers "$1" "$work/x.npy" "$work/z.npy"
}

if [ -n "${TERN_SEEDS:-}" ] && python3 -c 1 2>/dev/null; then
    page() { (cd "$TERN_SEEDS" && grep -l "$1" ./*.txt | head -n 1); }
    cut '#include <math.h>' '^```' "$(page 'pow(in\[i\], 3)')" >"$work/gelu.cu"
    cut '#include <math.h>' '^ *"""' "$(page 'in\[i\] \* in\[i\] \* in\[i\]')" >"$work/product.cu"
    inline=$(page "__global__ void square_matrix_kernel")
    cut '__global__ void square_matrix_kernel' "^'''" "$inline" >"$work/square.cu"
    cut '^# Look at this test' '^```' "$inline" >"$work/inline.py"
    numbers make "$work/x.npy" 21 137
    for device in ${DEVICES:-cpu interp sim cuda}; do
        $TERN devices | grep -q "^$device[: ].*here" || { skip 20 "no $device here"; continue; }
        both gelu gelu.cu gelu_kernel 3 1024 x in out '-a num_elements=2877'
        both gelu_product product.cu gelu_kernel 3 1024 x in out '-a num_elements=2877'
        both square square.cu square_matrix_kernel 9,2 16,16 matrix matrix result '-a width=137 -a height=21'
        for made in gelu.cu:gelu product.cu:gelu square.cu:square_matrix; do
            name=in wants=gelu
            case $made in square*) name=matrix wants=square ;; product*) wants=gelu_product ;; esac
            check "$made by a C++ compiler on $device" "$TERN" exec --device "$device" --host c++ "$work/$made" \
                -a "$name=@$work/x.npy" -o "$work/y.npy"
            check "$made by a C++ compiler on $device is as in float64" numbers $wants "$work/x.npy" "$work/y.npy"
        done
        exits 0 '[16., 25., 36.]]' "$TERN" exec --device "$device" "$work/inline.py"
        exits 0 'tensor([[ 1.,  4.,  9.],' "$TERN" exec --device "$device" "$work/inline.py"
    done
else
    skip 60 'TERN_SEEDS does not name the folder of the seeds, or there is no python3'
fi
finish
