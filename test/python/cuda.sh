#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test/python/cuda.py says what.
. test/python/lib.sh
run cuda
