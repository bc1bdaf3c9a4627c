# SPDX-License-Identifier: Apache-2.0
# tern replay: a case made here, then broken in every way.
. test/cli/lib.sh
if $TERN replay kernels --root . 2>&1 | grep -q jansson; then
    skip 30 'built without jansson'
    finish
fi
root="$work/repo"
case="$work/cases/double-1"
mkdir -p "$root" "$case"
cat >"$root/k.py" <<'END'
import triton
import triton.language as tl

SCALE = tl.constexpr(2.0)


@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) * SCALE, mask=i < n)  # done
END
sha1=$(sed -n '8,$p' "$root/k.py" | sha1sum | cut -d' ' -f1)
# f32: 1 2 3 4, and y: 9 9 9 9 before, 2 4 6 9 after (n is 3)
printf '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100' >"$case/s0.in.bin"
printf '\000\000\020\101\000\000\020\101\000\000\020\101\000\000\020\101' >"$case/s1.in.bin"
printf '\000\000\000\100\000\000\200\100\000\000\300\100\000\000\020\101' >"$case/s1.out.bin"
write_case() { # write_case 'sed script'
    sed -e "s/SHA1/$sha1/" -e "${1:-}" >"$case/case.json" <<'END'
{"id": "double-1", "file": "k.py", "function": "double", "line": 8, "src_sha1": "SHA1", "grid": [1],
 "options": {}, "compiled": {"num_warps": 4, "num_stages": 3}, "data": true, "changed": ["s1"], "globals": {},
 "args": [
  {"name": "x", "constexpr": false, "kind": "tensor", "dtype": "float32", "shape": [4], "strides": [1], "offset": 0,
   "storage": "s0", "nbytes": 16, "align": 512},
  {"name": "y", "constexpr": false, "kind": "tensor", "dtype": "float32", "shape": [4], "strides": [1], "offset": 0,
   "storage": "s1", "nbytes": 16, "align": 512},
  {"name": "n", "constexpr": false, "kind": "int", "value": 3},
  {"name": "BLOCK", "constexpr": true, "kind": "int", "value": 4}]}
END
}
replay="$TERN replay $work/cases --root $root --device interp"
write_case
exits 0 'ok double-1: max_abs 0, max_rel 0' $replay
exits 0 'device: interp' $replay
exits 0 '1 cases: 1 ok' $replay
exits 0 ' ms' $replay --time
exits 0 'ok double-1: max_abs 0, max_rel 0' $TERN replay "$case" --root "$root" --device sim --against interp
exits 4 "no device 'nowhere'" $replay --against nowhere
exits 0 '"status":"ok"' $replay --json
exits 0 '"max_abs":0,"max_rel":0,"ms":null' $replay --json
exits 0 'ok double-1' $TERN replay "$case/" --root "$root/" --device interp
for word in case status reason file line max_abs max_rel ms; do
    exits 0 "\"$word\":" $replay --json
done
write_case 's/"globals": {}/"globals": {"SCALE": {"kind": "constexpr", "value": {"kind": "float", "value": "4.0"}}}/'
exits 1 'mismatch double-1: s1[0] is 4, recorded 2' $replay
exits 0 'ok double-1: max_abs 0, max_rel 0' $replay --against interp
exits 0 'ok double-1' $replay --rtol 1
write_case 's/"value": 3/"value": 4/'
exits 1 's1[3] is 8, recorded 9 (fp32, elementwise); 1 wrong, some that the recorded launch left alone' $replay
# A case of minutes: its words are said again meanwhile, and it is given up.
mkdir "$work/slow"
sed 's/^    tl.store/    for j in range(2000000000): tl.store(y, j)\n    tl.store/' "$root/k.py" >"$work/slow/k.py"
write_case "s/$sha1/$(sed -n '8,$p' "$work/slow/k.py" | sha1sum | cut -d' ' -f1)/"
slow="$TERN replay $work/cases --root $work/slow --device interp --timeout 1"
exits 1 'gave up after 1 s' $slow
exits 1 'tern replay: the first case, 0 s' env TERN_PROGRESS=0.2 $slow
check 'no words are wanted' sh -c "! TERN_PROGRESS=0 $slow 2>&1 | grep -q 'first case'"
write_case 's/"src_sha1": "./"src_sha1": "x/'
exits 2 'is not what was recorded' $replay
write_case 's/"data": true/"data": false/'
exits 0 'skipped double-1: compiled' $replay
write_case 's/"function": "double"/"function": "triple"/'
exits 2 "no @triton.jit function 'triple'" $replay
write_case 's|"file": "k.py"|"file": "../k.py"|'
exits 2 'leaves the repository' $replay
write_case 's|"file": "k.py"|"file": "/etc/passwd"|'
exits 2 'leaves the repository' $replay
write_case 's|"file": "k.py"|"file": "none.py"|'
exits 2 'No such file' $replay
write_case 's/"nbytes": 16/"nbytes": 15/'
exits 2 'reaches beyond its storage' $replay
write_case 's/"shape": \[4\]/"shape": [4611686018427387904]/'
exits 2 'reaches beyond its storage' $replay
write_case 's/"shape": \[4\]/"shape": [-1]/'
exits 2 'negative' $replay
write_case 's/"storage": "s0"/"storage": "..\/s0"/'
exits 2 "name is not s0" $replay
write_case 's/"kind": "int", "value": 3/"kind": "desc"/'
exits 2 "error double-1: case.json: 'dtype' is missing" $replay
write_case 's/"kind": "int", "value": 3/"kind": "banana"/'
exits 3 "a value of kind 'banana'" $replay
write_case 's/"dtype": "float32"/"dtype": "complex64"/'
exits 3 "dtype 'complex64'" $replay
write_case 's/"grid": \[1\]/"grid": [2147483648]/'
exits 2 "'grid' is out of range" $replay
write_case 's/"grid": \[1\]/"grid": []/'
exits 2 "'grid' is no list" $replay
write_case 's/"name": "n"/"name": "m"/'
exits 2 "the kernel has no parameter 'm'" $replay
write_case '/"name": "n"/d'
exits 2 "the recording has no argument 'n'" $replay
# An empty tensor has no address: its alignment is 0.
: >"$case/s2.in.bin"
write_case '4s/\[4\]/[0]/; 5s/"s0", "nbytes": 16, "align": 512/"s2", "nbytes": 0, "align": 0/; s/"value": 3/"value": 0/; s/\["s1"\]/[]/'
for device in interp cpu sim; do
    exits 0 'ok double-1' $TERN replay "$work/cases" --root "$root" --device $device
done
rm "$case/s2.in.bin"
write_case 's/"value": 3/"value": "18446744073709551615"/'
exits 1 'mismatch double-1: s1[3] is 8' $replay
write_case 's/"value": 3/"value": "18446744073709551616"/'
exits 2 "an int's value is no int of 64 bits" $replay
write_case 's/"value": 3/"value": 99999999999999999999999/'
exits 2 'case.json:' $replay
write_case '$d'
exits 2 'case.json:' $replay
: >"$case/case.json"
exits 2 'case.json:' $replay
printf '%050000d' 0 | tr 0 '[' >"$case/case.json"
exits 2 'case.json:' $replay
write_case
head -c 10 "$case/s0.in.bin" >"$work/short" && mv "$work/short" "$case/s0.in.bin"
exits 2 'has 10 bytes, case.json says 16' $replay
rm "$case/s1.out.bin"
exits 2 'error double-1' $replay

# A tensor descriptor, and a tuple with a tensor, a tuple and a None in it.
rm "$case"/*
cat >"$root/k.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def gather(desc, args):
    y, (n, scale), none = args
    tile = desc.load([0, 0])
    i = tl.arange(0, 4)
    if none is None:
        tl.store(y + i, tl.sum(tile, 1) * scale, mask=i < n)  # done
END
sha1=$(sed -n '6,$p' "$root/k.py" | sha1sum | cut -d' ' -f1)
# x: 1 2 3 4; the descriptor sees its last two as two rows, 4 apart: y: 9 9 9 9 becomes 4 9 9 9
printf '\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\100' >"$case/s0.in.bin"
printf '\000\000\020\101\000\000\020\101\000\000\020\101\000\000\020\101' >"$case/s1.in.bin"
printf '\000\000\040\101\000\000\020\101\000\000\020\101\000\000\020\101' >"$case/s1.out.bin"
write_case() { # write_case 'sed script'
    sed -e "s/SHA1/$sha1/" -e "${1:-}" >"$case/case.json" <<'END'
{"id": "gather-1", "file": "k.py", "function": "gather", "line": 6, "src_sha1": "SHA1", "grid": [1],
 "options": {}, "compiled": {"num_warps": 4, "num_stages": 3}, "data": true, "changed": ["s1"], "globals": {},
 "args": [
  {"name": "desc", "constexpr": false, "kind": "desc", "shape": [1, 4], "strides": [4, 1], "block_shape": [4, 4],
   "base": {"kind": "tensor", "dtype": "float32", "shape": [1, 4], "strides": [4, 1], "offset": 0,
            "storage": "s0", "nbytes": 16, "align": 512}},
  {"name": "args", "constexpr": false, "kind": "tuple", "items": [
    {"kind": "tensor", "dtype": "float32", "shape": [4], "strides": [1], "offset": 0, "storage": "s1",
     "nbytes": 16, "align": 512},
    {"kind": "tuple", "items": [{"kind": "int", "value": 1}, {"kind": "float", "value": "1.0"}]},
    {"kind": "none"}]}]}
END
}
write_case
for device in interp cpu sim; do
    exits 0 'ok double-1: max_abs 0, max_rel 0' $TERN replay "$work/cases" --root "$root" --device $device
done
# The names of a named tuple, and an item of it that is tl.constexpr.
sed -i 's/y, (n, scale), none = args/y, none = args.y, args.none/; s/\* scale, mask=i < n/* args.sizes[1], mask=tl.arange(-args.sizes[0], 4 - args.sizes[0]) < 0/' "$root/k.py"
old_sha1=$sha1
sha1=$(sed -n '6,$p' "$root/k.py" | sha1sum | cut -d' ' -f1)
write_case 's/"kind": "tuple", "items": .$/"kind": "tuple", "names": ["y", "sizes", "none"], "items": [/; s/{"kind": "int", "value": 1}/{"kind": "constexpr", "value": {"kind": "int", "value": 1}}/'
for device in interp cpu sim; do
    exits 0 'ok double-1: max_abs 0, max_rel 0' $TERN replay "$work/cases" --root "$root" --device $device
done
write_case 's/"kind": "tuple", "items": .$/"kind": "tuple", "names": ["y", "sizes"], "items": [/'
exits 2 'a named tuple has a name for each item' $replay
write_case 's/"kind": "tuple", "items": .$/"kind": "tuple", "names": ["y", "x=", "none"], "items": [/'
exits 2 "a named tuple's names are identifiers" $replay
sed -i 's/y, none = args.y, args.none/y, (n, scale), none = args/; s/\* args.sizes.1., mask=.*$/* scale, mask=i < n)  # done/' "$root/k.py"
sha1=$(sed -n '6,$p' "$root/k.py" | sha1sum | cut -d' ' -f1)
check 'the kernel is as it was' [ "$sha1" = "$old_sha1" ]
write_case 's/"kind": "none"/"kind": "int", "value": 2/'
exits 1 's1[0] is 9, recorded 10' $replay
write_case 's/"desc", "shape": .1, 4./"desc", "shape": [2, 4]/'
exits 2 "'desc' is not a tensor descriptor: it reaches beyond its tensor's memory" $replay
write_case 's/"block_shape": .4, 4./"block_shape": [4, 2]/'
exits 2 'its block has less than 16 bytes' $replay
write_case 's/"kind": "desc"/"kind": "desc", "padding": "nan"/'
exits 0 'ok double-1: max_abs 0, max_rel 0' $replay
write_case 's/"kind": "desc"/"kind": "desc", "padding": "nan"/; s/"int", "value": 1/"int", "value": 2/'
for device in interp cpu sim; do
    exits 1 's1[1] is nan, recorded 9' $TERN replay "$work/cases" --root "$root" --device $device
done
write_case 's/"kind": "desc"/"kind": "desc", "padding": "one"/'
exits 3 "argument 'desc': a tensor descriptor with padding 'one'" $replay
write_case 's/"constexpr": false, "kind": "tuple"/"kind": "tuple"/; s/"storage": "s1"/"storage": "s2"/'
exits 2 's2.in.bin' $replay
finish
