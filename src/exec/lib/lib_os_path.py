# SPDX-License-Identifier: Apache-2.0
# os.path
from posixpath import *
