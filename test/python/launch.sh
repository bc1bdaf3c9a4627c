#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test/python/launch.py says what.
. test/python/lib.sh
run launch
