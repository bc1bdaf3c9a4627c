# SPDX-License-Identifier: Apache-2.0
# torch.autograd: Function, and who records. The tape is in C.
from _torch import Tensor, refuse
from _torch.grad import backward as _backward, grad as _grad, mode, record, set_mode


class set_grad_enabled:
    def __init__(self, mode):
        self.was = set_mode(mode)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        set_mode(self.was)


class _Mode:
    mode = False

    def __init__(self, mode=None):
        self.was = []
        self.function = mode if callable(mode) else None
        if mode is not None and self.function is None and not mode:
            refuse('inference_mode(False)')

    def __enter__(self):
        self.was.append(set_mode(self.mode))

    def __exit__(self, *args):
        set_mode(self.was.pop())

    def __call__(self, *args, **kwargs):
        if self.function is None:
            return type(self)(args[0])
        was = set_mode(self.mode)
        try:
            return self.function(*args, **kwargs)
        finally:
            set_mode(was)

    def __get__(self, instance, owner):
        return self


class no_grad(_Mode):
    pass


class inference_mode(_Mode):
    pass


class enable_grad(_Mode):
    mode = True


is_grad_enabled = mode


def _list(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    outputs = _list(outputs)
    given = [] if grad_outputs is None else _list(grad_outputs)
    keeps = create_graph if retain_graph is None else retain_graph
    return tuple(_grad(outputs, _list(inputs), given, keeps, create_graph, bool(allow_unused)))


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False):
    tensors = _list(tensors)
    given = [None] * len(tensors) if grad_tensors is None else _list(grad_tensors)
    for i, (tensor, g) in enumerate(zip(tensors, given)):
        _backward(tensor, g, True if i + 1 < len(tensors) else retain_graph, create_graph)


class FunctionCtx:
    def __init__(self):
        self._saved, self._skipped, self._materializes = (), (), True
        self.needs_input_grad = ()

    def save_for_backward(self, *tensors):
        self._saved = tensors

    @property
    def saved_tensors(self):
        return self._saved

    def mark_non_differentiable(self, *tensors):
        self._skipped = tensors

    def mark_dirty(self, *tensors):
        refuse('mark_dirty of a torch.autograd.Function')

    def set_materialize_grads(self, value):
        self._materializes = value


def once_differentiable(function):
    return function


def _rule_of(cls, is_saved, is_tensor):
    def rule(ctx, saved, gradients):
        rest = iter(saved)
        ctx._saved = tuple(next(rest) if there else None for there in is_saved)
        rest = iter(gradients)
        result = cls.backward(ctx, *[next(rest) if there else None for there in is_tensor])
        ctx._saved = ()
        return list(result) if isinstance(result, tuple) else [result]

    return rule


class Function:
    @classmethod
    def apply(cls, *args):
        ctx = FunctionCtx()
        was = set_mode(False)
        ctx.needs_input_grad = tuple(was and isinstance(a, Tensor) and a.requires_grad for a in args)
        try:
            if hasattr(cls, 'setup_context'):
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
        finally:
            set_mode(was)
        if not any(ctx.needs_input_grad):
            return result
        outputs = list(result) if isinstance(result, tuple) else [result]
        for i, output in enumerate(outputs):
            if isinstance(output, Tensor) and any(output is a for a in args):
                outputs[i] = output.detach()
        is_tensor = [isinstance(o, Tensor) for o in outputs]
        tensors = [o for o in outputs if isinstance(o, Tensor)]
        skipped = 0
        for i, tensor in enumerate(tensors):
            if any(tensor is s for s in ctx._skipped) or not tensor.is_floating_point():
                skipped |= 1 << i
        is_saved = [s is not None for s in ctx._saved]
        saved = [s for s in ctx._saved if s is not None]
        record(cls.__name__, _rule_of(cls, is_saved, is_tensor), ctx, list(args), tensors, saved, skipped,
               not ctx._materializes)
        ctx._saved = ()
        return tuple(outputs) if isinstance(result, tuple) else outputs[0]
