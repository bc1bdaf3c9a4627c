#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test/python/unchanged.py says what.
. test/python/lib.sh
run unchanged
