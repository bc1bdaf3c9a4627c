# SPDX-License-Identifier: Apache-2.0
# lib: runs test/python/NAME.py, whose last line is the summary, on the package in $BUILD/python.
#
#     . test/python/lib.sh
#     run NAME
: "${PYTHON:=python3}" "${BUILD:=build}"

run() {
    if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "skipped: no Python 3.11 or later"
    elif ! [ -f "$BUILD/python/tern/_tern.abi3.so" ]; then
        echo "skipped: the package is not built: Python's headers (python3-dev) are missing, or a sanitizer is on"
    else
        PYTHONPATH=$BUILD/python:test/python PYTHONDONTWRITEBYTECODE=1 exec "$PYTHON" "test/python/$1.py"
    fi
    echo "test/python/$1.sh: 0 passed, 0 failed, 1 skipped"
    exit 0
}
