# SPDX-License-Identifier: Apache-2.0
# tools/cuda_suite.py: kernels against references in NumPy, here our own; a wrong one is noticed.
. test/cli/lib.sh
export TERN
if python3 -c 'import numpy' 2>/dev/null; then
    exits 0 '20 passed, 0 failed, 1 skipped' tools/cuda_suite.py test/cuda/suite.py test/cuda
    sed 's/2\.5 \* wide/2.4 * wide/' test/cuda/suite.py >"$work/wrong.py"
    exits 1 'y[0] is ' tools/cuda_suite.py "$work/wrong.py" test/cuda --device interp
    exits 1 '6 passed, 1 failed, 0 skipped' tools/cuda_suite.py "$work/wrong.py" test/cuda --device interp
    sed 's/interp="outside"/interp="beside"/' test/cuda/suite.py >"$work/words.py"
    exits 1 'not stopped as it is to be' tools/cuda_suite.py "$work/words.py" test/cuda --device interp
    sed 's/vectorAdd/noSuch/' test/cuda/suite.py >"$work/names.py"
    exits 1 "exit code 2" tools/cuda_suite.py "$work/names.py" test/cuda --device interp
    exits 1 '0 passed, 0 failed, 7 skipped' tools/cuda_suite.py test/cuda/suite.py "$work" --device interp
else
    skipped=1
fi
finish
