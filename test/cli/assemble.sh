# SPDX-License-Identifier: Apache-2.0
# TERN_KEEP_PTX keeps what was compiled, each text once; tools/assemble tells right from wrong.
. test/cli/lib.sh
mkdir "$work/ptx" "$work/wrong"
compile() { $TERN show kernels/vector_add.py --stage ptx --target sm_75 --sig '*fp32,*fp32,*fp32,i32,64'; }
check 'the text is kept' env TERN_KEEP_PTX="$work/ptx" $TERN show kernels/vector_add.py --stage ptx --target sm_75 --sig '*fp32,*fp32,*fp32,i32,64'
check 'once' env TERN_KEEP_PTX="$work/ptx" $TERN show kernels/vector_add.py --stage ptx --target sm_75 --sig '*fp32,*fp32,*fp32,i32,64'
check 'one file' sh -c "[ \$(ls '$work/ptx' | wc -l) = 1 ]"
compile >"$work/shown"
check 'as it is shown' cmp "$work/shown" "$work"/ptx/*.ptx
check 'a folder that is not there stops nothing' env TERN_KEEP_PTX="$work/nowhere" $TERN show kernels/vector_add.py --stage ptx --target sm_75 --sig '*fp32,*fp32,*fp32,i32,64'
exits 0 'assemble: 0 passed, 0 failed, 0 skipped' tools/assemble "$work/nowhere"
if ! tools/assemble --find >/dev/null; then
    exits 0 'assemble: 0 passed, 0 failed, 1 skipped' tools/assemble "$work/ptx"
    skip 8 'no ptxas'
    finish
fi
sed 's/add.s32/add.s33/' "$work/shown" >"$work/wrong/a.ptx"
check 'the break broke something' sh -c "! cmp -s '$work/shown' '$work/wrong/a.ptx'"
exits 0 'assemble: 1 passed, 0 failed, 0 skipped' tools/assemble "$work/ptx" "$work/known"
exits 0 'assembled 0 PTX texts of 1' tools/assemble "$work/ptx" "$work/known"
exits 1 'a.ptx (sm_75)' tools/assemble "$work/wrong" "$work/known"
exits 1 'assemble: 0 passed, 1 failed, 0 skipped' tools/assemble "$work/wrong" "$work/known"
# Small texts are given as one: of those the wrong one is named, and nothing else.
mkdir "$work/many"
for n in 1 2 3; do cp "$work/shown" "$work/many/$n.ptx"; done
exits 0 'assembled 3 PTX texts of 3' tools/assemble "$work/many"
cp "$work/wrong/a.ptx" "$work/many"
exits 1 'many/a.ptx (sm_75)' tools/assemble "$work/many"
exits 1 'assemble: 0 passed, 1 failed, 0 skipped' tools/assemble "$work/many"
finish
