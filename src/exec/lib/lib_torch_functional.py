# SPDX-License-Identifier: Apache-2.0
# torch.nn.functional.
import math
from _torch import Tensor, arange, cross_entropy as _cross_entropy, dropout as _dropout, elu as _elu, embedding as _embedding, layer_norm as _layer_norm, leaky_relu as _leaky_relu, linear, refuse, rms_norm as _rms_norm, softplus as _softplus, tanh, sigmoid, where
from _torch.functional import gelu, log_softmax as _log_softmax, relu as _relu, silu as _silu, softmax as _softmax


def relu(input, inplace=False):
    return input.copy_(_relu(input)) if inplace else _relu(input)


def silu(input, inplace=False):
    return input.copy_(_silu(input)) if inplace else _silu(input)


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        refuse('softmax without dim=')
    return _softmax(input if dtype is None else input.to(dtype), dim)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        refuse('log_softmax without dim=')
    return _log_softmax(input if dtype is None else input.to(dtype), dim)


def logsigmoid(input):
    return input.log_sigmoid()


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return _leaky_relu(input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    return _elu(input, alpha)


def softplus(input, beta=1, threshold=20):
    return _softplus(input, beta, threshold)


def _dims(input, normalized_shape, what):
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    if list(input.shape[-len(shape):]) != shape:
        words = ', '.join(str(n) for n in shape)
        raise RuntimeError(f'Given normalized_shape={shape}, expected input with shape [*, {words}], but got input of size'
                           f'{list(input.shape)}')
    return len(shape)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _layer_norm(input, _dims(input, normalized_shape, 'layer_norm'), weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    if eps is None:
        eps = {'torch.float64': 2.220446049250313e-16, 'torch.float32': 1.1920928955078125e-07,
               'torch.float16': 0.0009765625, 'torch.bfloat16': 0.0078125}[str(input.dtype)]
    return _rms_norm(input, _dims(input, normalized_shape, 'rms_norm'), weight, None, eps)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if padding_idx is not None or max_norm is not None or scale_grad_by_freq or sparse:
        refuse('these arguments of embedding')
    return _embedding(input, weight)


def dropout(input, p=0.5, training=True, inplace=False):
    if inplace:
        refuse('dropout in place')
    return _dropout(input, p, training)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean',
                  label_smoothing=0.0):
    return _cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing)


def _reduced(loss, reduction):
    if reduction == 'none':
        return loss
    if reduction not in ('mean', 'sum'):
        raise ValueError(f'{reduction} is not a valid value for reduction')
    return loss.mean() if reduction == 'mean' else loss.sum()


def mse_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None):
    dtypes = [x.dtype for x in (input, target) if x.is_floating_point()]
    if not dtypes:
        both_bool = str(input.dtype) == str(target.dtype) == 'torch.bool'
        raise NotImplementedError(f'''"mse_cpu" not implemented for '{'Bool' if both_bool else 'Long'}\'''')
    if len(dtypes) == 1:
        input, target = input.to(dtypes[0]), target.to(dtypes[0])
    return _reduced((input - target).square(), reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction='mean', weight=None):
    return _reduced((input - target).abs(), reduction)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'):
    if len(input.shape) != 2:
        refuse('nll_loss of another shape than (rows, classes)')
    kept = target != ignore_index
    safe = where(kept, target, 0)
    weights = kept.to(input.dtype) if weight is None else where(kept, weight.index_select(0, safe), 0.0)
    loss = where(kept, -input.gather(1, safe[:, None]).squeeze(1) * weights, 0.0)
    return loss.sum() / weights.sum() if reduction == 'mean' else _reduced(loss, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction='mean', log_target=False):
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = where(target == 0, 0.0, target * target.log()) - target * input
    return loss.sum() / input.shape[0] if reduction == 'batchmean' else _reduced(loss, reduction)


def one_hot(tensor, num_classes=-1):
    if str(tensor.dtype) != 'torch.int64':
        raise RuntimeError('one_hot is only applicable to index tensor of type LongTensor.')
    if tensor.numel() == 0 and num_classes == -1:
        raise RuntimeError('Can not infer total number of classes from empty tensor.')
    if tensor.numel() and tensor.min().item() < 0:
        raise RuntimeError('Class values must be non-negative.')
    largest = tensor.max().item() if tensor.numel() else -1
    if num_classes == -1:
        num_classes = largest + 1
    if num_classes < 0 or largest >= num_classes:
        raise RuntimeError('Class values must be smaller than num_classes.')
    return (tensor.unsqueeze(-1) == arange(num_classes, device=tensor.device)).long()


def normalize(input, p=2.0, dim=1, eps=1e-12):
    if p != 2.0:
        refuse('normalize with another p')
    norm = input.square().sum(dim=dim, keepdim=True).sqrt()
    return input / where(norm > eps, norm, eps)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction='mean'):
    loss = -(target * input.log().clamp(min=-100) + (1 - target) * (1 - input).log().clamp(min=-100))
    return _reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction='mean',
                                     pos_weight=None):
    if target.shape != input.shape:
        raise ValueError(f'Target size ({target.shape}) must be the same as input size ({input.shape})')
    logs = input.log_sigmoid()
    loss = (1 - target) * input - (logs if pos_weight is None else logs * ((pos_weight - 1) * target + 1))
    return _reduced(loss if weight is None else loss * weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0):
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    apart = (input - target).abs()
    return _reduced(where(apart < beta, 0.5 * apart * apart / beta, apart - 0.5 * beta), reduction)


def huber_loss(input, target, reduction='mean', delta=1.0, weight=None):
    apart = (input - target).abs()
    loss = where(apart <= delta, 0.5 * apart * apart, delta * (apart - 0.5 * delta))
    return _reduced(loss if weight is None else loss * weight, reduction)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    least = eps * eps
    sizes = x1.square().sum(dim).clamp(min=least).sqrt() * x2.square().sum(dim).clamp(min=least).sqrt()
    return (x1 * x2).sum(dim) / sizes


def glu(input, dim=-1):
    if input.shape[dim] % 2:
        raise RuntimeError(f'Halving dimension must be even, but dimension {dim % input.ndim} is size {input.shape[dim]}')
    a, b = input.chunk(2, dim)
    return a * sigmoid(b)


def mish(input, inplace=False):
    return input * tanh(_softplus(input, 1, 20))


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return input.clamp(min_val, max_val)


def relu6(input, inplace=False):
    return input.clamp(0, 6)


def hardsigmoid(input, inplace=False):
    return (input + 3).clamp(0, 6) / 6


def hardswish(input, inplace=False):
    return input * (input + 3).clamp(0, 6) / 6


def selu(input, inplace=False):
    return 1.0507009873554805 * _elu(input, 1.6732632423543772)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return softmax(-input, dim, dtype=dtype)


def softsign(input):
    return input / (input.abs() + 1)


def threshold(input, threshold, value, inplace=False):
    return where(input > threshold, input, value)


def prelu(input, weight):
    if weight.numel() > 1:
        weight = weight.reshape([-1 if d == 1 else 1 for d in range(input.ndim)])
    return where(input > 0, input, weight * input)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        rows, columns = arange(query.shape[-2], device=query.device), arange(key.shape[-2], device=query.device)
        scores = where(rows[:, None] >= columns[None, :], scores, -math.inf)
    if attn_mask is not None:
        scores = where(attn_mask, scores, -math.inf) if str(attn_mask.dtype) == 'torch.bool' else scores + attn_mask
    weights = softmax(scores, -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights @ value
