# SPDX-License-Identifier: Apache-2.0
# numbers: what isinstance takes.
Number = (int, float)
Complex = (int, float)
Real = (int, float)
Rational = (int,)
Integral = (int,)
