# SPDX-License-Identifier: Apache-2.0
# A stand-in for packages of kernels: it looks for its own parts and imports them by name.
