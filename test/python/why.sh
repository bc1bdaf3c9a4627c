#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test/python/why.py says what.
. test/python/lib.sh
run why
