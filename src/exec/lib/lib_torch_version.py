# SPDX-License-Identifier: Apache-2.0
# torch.version: what files ask to tell builds apart. This stands for a PyTorch 2.11 for CUDA.
__version__ = '2.11.0+tern'
cuda = '13.0'
hip = None
xpu = None
debug = False
