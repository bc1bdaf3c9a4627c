# SPDX-License-Identifier: Apache-2.0
# torch.nn: modules over torch.nn.functional.
import math
from collections import OrderedDict
import torch.nn.functional as functional
from _torch import Tensor, empty, ones, refuse, zeros
from _torch.grad import Parameter, set_mode as _set_mode


class Module:
    training = True

    def __init__(self):
        object.__setattr__(self, '_parameters', {})
        object.__setattr__(self, '_buffers', {})
        object.__setattr__(self, '_modules', {})
        object.__setattr__(self, '_unsaved', [])
        object.__setattr__(self, 'training', True)

    def __getattr__(self, name):
        if name not in ('_parameters', '_buffers', '_modules', '_unsaved'):
            if hasattr(self, '_parameters'):
                for group in (self._parameters, self._buffers, self._modules):
                    if name in group:
                        return group[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        is_ours = isinstance(value, (Parameter, Module))
        if not hasattr(self, '_parameters'):
            if is_ours:
                kind = 'module' if isinstance(value, Module) else 'parameters'
                raise AttributeError(f'cannot assign {kind} before Module.__init__() call')
            object.__setattr__(self, name, value)
            return
        group = self._parameters if isinstance(value, Parameter) else self._modules if is_ours else None
        if group is not None:
            for other in (self._parameters, self._buffers, self._modules):
                if other is not group and name in other:
                    del other[name]
            group[name] = value
        elif name in self._parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{type(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)")
            self._parameters[name] = None
        elif name in self._modules:
            if value is not None:
                raise TypeError(f"cannot assign '{type(value)}' as child module '{name}' (torch.nn.Module or None expected)")
            self._modules[name] = None
        elif name in self._buffers:
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name):
        for group in (self._parameters, self._buffers, self._modules):
            if name in group:
                del group[name]
                return
        object.__delattr__(self, name)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, *args):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def register_parameter(self, name, param):
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        self._buffers[name] = tensor
        if not persistent:
            self._unsaved.append(name)

    def add_module(self, name, module):
        self._modules[name] = module

    register_module = add_module

    def register_forward_hook(self, hook):
        refuse('hooks of modules')

    register_forward_pre_hook = register_full_backward_hook = register_forward_hook

    def named_modules(self, memo=None, prefix='', remove_duplicate=True):
        memo = [] if memo is None else memo
        if any(self is m for m in memo):
            return
        memo.append(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, prefix + ('.' if prefix else '') + name)

    def modules(self):
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        for name, module in self._modules.items():
            if module is not None:
                yield name, module

    def children(self):
        for _, module in self.named_children():
            yield module

    def _named(self, group, prefix, recurse):
        seen = []
        for head, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, value in getattr(module, group).items():
                if value is not None and not any(value is s for s in seen):
                    seen.append(value)
                    yield head + ('.' if head else '') + name, value

    def named_parameters(self, prefix='', recurse=True):
        yield from self._named('_parameters', prefix, recurse)

    def parameters(self, recurse=True):
        for _, value in self.named_parameters(recurse=recurse):
            yield value

    def named_buffers(self, prefix='', recurse=True):
        yield from self._named('_buffers', prefix, recurse)

    def buffers(self, recurse=True):
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def get_submodule(self, target):
        module = self
        for name in target.split('.') if target else []:
            module = getattr(module, name)
        return module

    def train(self, mode=True):
        for module in self.modules():
            object.__setattr__(module, 'training', mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad.zero_()

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _each(self, change):
        for module in self.modules():
            for p in module._parameters.values():
                if p is not None:
                    p.data = change(p.data)
            for name, b in module._buffers.items():
                if b is not None:
                    module._buffers[name] = change(b)
        return self

    def to(self, *args, **kwargs):
        def change(t):
            moved = t.to(*args, **kwargs)
            return moved if t.is_floating_point() else moved.to(t.dtype)

        return self._each(change)

    def cuda(self, device=None):
        return self._each(lambda t: t.cuda())

    def cpu(self):
        return self._each(lambda t: t.cpu())

    def float(self):
        return self._each(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        return self._each(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        return self._each(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        return self._each(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def state_dict(self, prefix=''):
        state = OrderedDict()
        for head, module in self.named_modules(prefix=prefix[:-1] if prefix else ''):
            head = head + '.' if head else ''
            for name, p in module._parameters.items():
                if p is not None:
                    state[head + name] = p.detach()
            for name, b in module._buffers.items():
                if b is not None and name not in module._unsaved:
                    state[head + name] = b.detach()
        return state

    def load_state_dict(self, state_dict, strict=True):
        own = self.state_dict()
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        if strict and (missing or unexpected):
            words = []
            if unexpected:
                words.append('Unexpected key(s) in state_dict: ' + ', '.join(f'"{k}"' for k in unexpected) + '. ')
            if missing:
                words.append('Missing key(s) in state_dict: ' + ', '.join(f'"{k}"' for k in missing) + '. ')
            raise RuntimeError(f'Error(s) in loading state_dict for {type(self).__name__}:\n\t' + '\n\t'.join(words))
        for name, value in own.items():
            if name in state_dict:
                value.copy_(state_dict[name])

    def extra_repr(self):
        return ''

    def __repr__(self):
        extra = self.extra_repr()
        lines = []
        for name, module in self._modules.items():
            text = repr(module).split('\n')
            lines.append(f'({name}): ' + '\n'.join([text[0]] + ['  ' + line for line in text[1:]]))
        head = type(self).__name__ + '('
        if not lines:
            return head + extra + ')'
        body = '\n'.join('  ' + line for line in lines)
        return head + ('\n  ' + extra if extra else '') + '\n' + body + '\n)'


# ---- how weights begin ----


class _Init:
    def uniform_(self, tensor, a=0.0, b=1.0):
        return tensor.uniform_(a, b)

    def normal_(self, tensor, mean=0.0, std=1.0):
        return tensor.normal_(mean, std)

    def constant_(self, tensor, val):
        tensor.detach().fill_(val)
        return tensor

    def zeros_(self, tensor):
        return self.constant_(tensor, 0.0)

    def ones_(self, tensor):
        return self.constant_(tensor, 1.0)

    def _fans(self, tensor):
        rest = 1
        for n in tensor.shape[2:]:
            rest *= n
        return tensor.shape[1] * rest, tensor.shape[0] * rest

    def calculate_gain(self, nonlinearity, param=None):
        if nonlinearity in ('linear', 'sigmoid'):
            return 1
        if nonlinearity == 'tanh':
            return 5.0 / 3
        if nonlinearity == 'relu':
            return math.sqrt(2.0)
        if nonlinearity == 'leaky_relu':
            return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
        raise ValueError(f'Unsupported nonlinearity {nonlinearity}')

    def xavier_uniform_(self, tensor, gain=1.0):
        fan_in, fan_out = self._fans(tensor)
        bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(fan_in + fan_out))
        return tensor.uniform_(-bound, bound)

    def xavier_normal_(self, tensor, gain=1.0):
        fan_in, fan_out = self._fans(tensor)
        return tensor.normal_(0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)))

    def kaiming_uniform_(self, tensor, a=0, mode='fan_in', nonlinearity='leaky_relu'):
        fan = self._fans(tensor)[0 if mode == 'fan_in' else 1]
        bound = math.sqrt(3.0) * (self.calculate_gain(nonlinearity, a) / math.sqrt(fan))
        return tensor.uniform_(-bound, bound)

    def kaiming_normal_(self, tensor, a=0, mode='fan_in', nonlinearity='leaky_relu'):
        fan = self._fans(tensor)[0 if mode == 'fan_in' else 1]
        return tensor.normal_(0, self.calculate_gain(nonlinearity, a) / math.sqrt(fan))

    def trunc_normal_(self, tensor, mean=0.0, std=1.0, a=-2.0, b=2.0):
        refuse('trunc_normal_')


init = _Init()


# ---- layers ----


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(_drawn(init.kaiming_uniform_, (out_features, in_features), device, dtype, math.sqrt(5)))
        if bias:
            bound = 1 / math.sqrt(in_features) if in_features > 0 else 0
            self.bias = Parameter(_drawn(init.uniform_, (out_features,), device, dtype, -bound, bound))
        else:
            self.register_parameter('bias', None)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f'in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}'


def _drawn(how, shape, device, dtype, *args):
    made = how(empty(shape, device=device), *args)
    return made if dtype is None else made.to(dtype)


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        if padding_idx is not None:
            refuse('padding_idx= of Embedding')
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(_drawn(init.normal_, (num_embeddings, embedding_dim), device, dtype))

    def forward(self, input):
        return functional.embedding(input, self.weight)

    def extra_repr(self):
        return f'{self.num_embeddings}, {self.embedding_dim}'


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.register_parameter('weight', None)
        self.register_parameter('bias', None)
        if elementwise_affine:
            self.weight = Parameter(ones(shape, device=device, dtype=dtype))
            if bias:
                self.bias = Parameter(zeros(shape, device=device, dtype=dtype))

    def forward(self, input):
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f'{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, '
                f'bias={self.bias is not None}')


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self.register_parameter('weight', None)
        if elementwise_affine:
            self.weight = Parameter(ones(shape, device=device, dtype=dtype))

    def forward(self, input):
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f'{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}'


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f'dropout probability has to be between 0 and 1, but got {p}')
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f'p={self.p}, inplace={self.inplace}'


class GELU(Module):
    def __init__(self, approximate='none'):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f'approximate={self.approximate!r}'


class ReLU(Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return functional.relu(input, self.inplace)

    def extra_repr(self):
        return 'inplace=True' if self.inplace else ''


class SiLU(ReLU):
    def forward(self, input):
        return functional.silu(input, self.inplace)


class Tanh(Module):
    def forward(self, input):
        return functional.tanh(input)


class Sigmoid(Module):
    def forward(self, input):
        return functional.sigmoid(input)


class LeakyReLU(Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input):
        return functional.leaky_relu(input, self.negative_slope)

    def extra_repr(self):
        return f'negative_slope={self.negative_slope}'


class Softmax(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.softmax(input, self.dim)

    def extra_repr(self):
        return f'dim={self.dim}'


class LogSoftmax(Softmax):
    def forward(self, input):
        return functional.log_softmax(input, self.dim)

    def extra_repr(self):
        return ''


class Identity(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f'start_dim={self.start_dim}, end_dim={self.end_dim}'


class Sequential(Module):
    def __init__(self, *args):
        super().__init__()
        items = args[0].items() if len(args) == 1 and isinstance(args[0], dict) else [(str(i), m) for i, m in enumerate(args)]
        for name, module in items:
            self.add_module(name, module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __getitem__(self, index):
        items = list(self._modules.values())
        return type(self)(*items[index]) if isinstance(index, slice) else items[index]


class ModuleList(Module):
    def __repr__(self):
        texts = [repr(module) for module in self._modules.values()]
        if not texts:
            return 'ModuleList()'
        lines, at = [], 0
        while at < len(texts):
            end = at
            while end + 1 < len(texts) and texts[end + 1] == texts[at]:
                end += 1
            head = f'({at}): ' if end == at else f'({at}-{end}): {end - at + 1} x '
            lines.append(head + texts[at])
            at = end + 1
        return 'ModuleList(' + ''.join('\n  ' + line.replace('\n', '\n  ') for line in lines) + '\n)'

    def __init__(self, modules=None):
        super().__init__()
        for module in modules or []:
            self.append(module)

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules.values()))

    def __getitem__(self, index):
        items = list(self._modules.values())
        return ModuleList(items[index]) if isinstance(index, slice) else items[index]


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        for name, module in (modules or {}).items():
            self.add_module(name, module)

    def __getitem__(self, name):
        return self._modules[name]

    def __setitem__(self, name, module):
        self.add_module(name, module)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(list(self._modules))

    def __contains__(self, name):
        return name in self._modules

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        for value in values or []:
            self.append(value)

    def append(self, value):
        self.register_parameter(str(len(self)), value)
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(list(self._parameters.values()))

    def __getitem__(self, index):
        return list(self._parameters.values())[index]


# ---- losses ----


class CrossEntropyLoss(Module):
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean', label_smoothing=0.0):
        super().__init__()
        self.register_buffer('weight', weight)
        self.ignore_index, self.reduction, self.label_smoothing = ignore_index, reduction, label_smoothing

    def forward(self, input, target):
        return functional.cross_entropy(input, target, self.weight, None, self.ignore_index, None, self.reduction,
                                        self.label_smoothing)


class NLLLoss(Module):
    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'):
        super().__init__()
        self.register_buffer('weight', weight)
        self.ignore_index, self.reduction = ignore_index, reduction

    def forward(self, input, target):
        return functional.nll_loss(input, target, self.weight, None, self.ignore_index, None, self.reduction)


class KLDivLoss(Module):
    def __init__(self, size_average=None, reduce=None, reduction='mean', log_target=False):
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input, target):
        return functional.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class MSELoss(Module):
    def __init__(self, size_average=None, reduce=None, reduction='mean'):
        super().__init__()
        self.reduction = reduction

    def forward(self, input, target):
        return functional.mse_loss(input, target, reduction=self.reduction)


class L1Loss(MSELoss):
    def forward(self, input, target):
        return functional.l1_loss(input, target, reduction=self.reduction)


# ---- torch.nn.utils ----


class _Utils:
    def clip_grad_norm_(self, parameters, max_norm, norm_type=2.0):
        if norm_type != 2.0:
            refuse('clip_grad_norm_ of another norm')
        parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
        gradients = [p.grad for p in parameters if p.grad is not None]
        total = sum(g.square().sum() for g in gradients).sqrt()
        scale = max_norm / (total + 1e-6)
        scale = scale.minimum(ones((), device=scale.device))
        for g in gradients:
            g.mul_(scale)
        return total


utils = _Utils()
