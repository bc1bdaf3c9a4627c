# SPDX-License-Identifier: Apache-2.0
# What doc/sim.md says of its kernels is what sim counts; and what sim says to broken ones.
. test/cli/lib.sh
a='-a x=randn(4096) -a y=empty(4096)'
exits 0 '32.00 ( 4.00)     4096  128.0 KiB   16.0 KiB  12 %' $TERN run test/sim/lesson.py:copy_strided --device sim:h100 --counters --grid 4 $a -a n=4096 -a STRIDE=32 -a BLOCK=1024
exits 0 '5.00 ( 4.00)' $TERN run test/sim/lesson.py:copy --device sim:h100 --counters --grid 4 -a 'x=randn(4096,offset=1)' -a 'y=empty(4096,offset=1)' -a n=4096 -a BLOCK=1024
exits 0 '16.00 (16.00)      128   16.0 KiB   16.0 KiB  100 %' $TERN run test/sim/lesson.py:copy --device sim:h100 --counters --grid 4 $a -a n=4096 -a BLOCK=1024
exits 0 'bytes in flight: at most 1024 B a warp, with all warps 64.0 KiB' $TERN run test/sim/lesson.py:copy --device sim:h100 --counters --grid 4 $a -a n=4096 -a BLOCK=1024
exits 0 'bytes in flight: at most 128 B a warp, with all warps 8192 B' $TERN run test/sim/lesson.py:copy --device sim:h100 --counters --grid 32 $a -a n=4096 -a BLOCK=128
t='-a x=randn(1024) -a y=empty(1024) -a N=32'
exits 0 'loads                 32         256      32        224' $TERN run test/sim/lesson.py:transpose_gather --device sim:h100 --counters --grid 1 $t
exits 0 'loads                 32          32      32          0' $TERN run test/sim/lesson.py:transpose --device sim:h100 --counters --grid 1 $t
exits 0 'does not predict how long' $TERN run test/sim/lesson.py:transpose --device sim --counters --grid 1 $t
exits 0 '"predicts_time": false' $TERN run test/sim/lesson.py:transpose --device sim --counters --json --grid 1 $t
exits 0 '"bank_conflicts": 224' $TERN run test/sim/lesson.py:transpose_gather --device sim --counters --json --grid 1 $t
exits 0 'sim:t4' $TERN run test/sim/lesson.py:transpose --device sim:t4 --grid 1 $t
exits 3 "device 'interp' does not count" $TERN run test/sim/lesson.py:transpose --device interp --counters --grid 1 $t
exits 4 "no GPU 'z80' in device 'sim'" $TERN run test/sim/lesson.py:transpose --device sim:z80 --grid 1 $t
exits 1 'load of 16 bytes outside the buffer of' $TERN run test/sim/lesson.py:copy --device sim --grid 5 $a -a n=4096 -a BLOCK=1024
exits 1 'line ' $TERN run test/sim/lesson.py:copy --device sim --grid 5 $a -a n=4096 -a BLOCK=1024
exits 0 'changed' env TERN_SIM_ULP=5 $TERN run test/sim/lesson.py:transpose --device sim --grid 1 $t
finish
