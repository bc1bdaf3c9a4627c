#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test/python/on_cuda.py says what.
. test/python/lib.sh
run on_cuda
