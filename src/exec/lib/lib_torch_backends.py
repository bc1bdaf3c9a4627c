# SPDX-License-Identifier: Apache-2.0
# torch.backends: switches that allow PyTorch less than what is computed here (TF32, reduced sums), or another
# order of sums, change nothing.


class _Switches:
    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


class _Absent:
    def is_available(self):
        return False

    def is_built(self):
        return False


cuda = _Switches(matmul=_Switches(allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                                  allow_bf16_reduced_precision_reduction=True, fp32_precision='none'))
cudnn = _Switches(allow_tf32=True, benchmark=False, deterministic=False, enabled=True)
mps = _Absent()
xpu = _Absent()
