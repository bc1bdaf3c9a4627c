# SPDX-License-Identifier: Apache-2.0
# What an assembler says of registers, stack and spills stands in the counters; without one they are
# unknown. The assembler is a script here: what it says is known.
. test/cli/lib.sh
fake() { # fake 'stack line' 'registers line'
    mkdir -p "$work/bin"
    printf '#!/bin/sh\n[ "$1" = -v ] || exit 0\n: >"$5"\necho "    %s"\necho "ptxas info    : Used %s"\n' "$1" "$2" >"$work/bin/ptxas"
    chmod +x "$work/bin/ptxas"
}
a='-a x=randn(4096) -a y=empty(4096) -a n=4096 -a BLOCK=1024'
run="$(command -v $TERN) run test/sim/lesson.py:copy --device sim:h100 --counters --grid 4 $a"
fake '16 bytes stack frame, 120 bytes spill stores, 200 bytes spill loads' '96 registers, 380 bytes cmem[0]'
exits 0 '96 registers a thread, 16 bytes of stack, spills: 120 bytes stored, 200 loaded' env PATH="$work/bin:$PATH" $run
exits 0 '"registers": 96, "stack_bytes": 16, "spill_store_bytes": 120, "spill_load_bytes": 200' env PATH="$work/bin:$PATH" $run --json
fake '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' '18 registers'
exits 0 '18 registers a thread, no spills' env PATH="$work/bin:$PATH" $run
mkdir "$work/empty"
exits 0 'registers unknown (ptxas is not on PATH)' env PATH="$work/empty" $run
exits 0 '"registers": null, "stack_bytes": null' env PATH="$work/empty" $run --json
printf '#!/bin/sh\necho SASS\n' >"$work/bin/cuobjdump" && chmod +x "$work/bin/cuobjdump"
exits 0 'Used 18 registers' env PATH="$work/bin:$PATH" $TERN show kernels/vector_add.py --stage sass --target sm_90a --sig '*fp32,*fp32,*fp32,i32,64'
finish
