# SPDX-License-Identifier: Apache-2.0
# torch.optim: SGD, Adam, AdamW: groups and states here, a step of all parameters of a group in C.
from collections import defaultdict
from _torch import Tensor, refuse
from _torch.grad import adam_step, mode as _mode, set_mode, sgd_step


class Optimizer:
    def __init__(self, params, defaults):
        self.defaults, self.state, self.param_groups = defaults, {}, []
        params = list(params)
        if not params:
            raise ValueError('optimizer got an empty parameter list')
        if not isinstance(params[0], dict):
            params = [{'params': params}]
        for group in params:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        group = dict(param_group)
        group['params'] = [group['params']] if isinstance(group['params'], Tensor) else list(group['params'])
        for name, value in self.defaults.items():
            if name not in group:
                group[name] = value
        self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad.zero_()

    def step(self, closure=None):
        loss = None
        if closure is not None:
            was = set_mode(True)
            loss = closure()
            set_mode(was)
        for group in self.param_groups:
            params = [p for p in group['params'] if p.grad is not None]
            if params:
                self._step(group, params)
        return loss

    def _zeros_of(self, p):
        return p.detach().mul(0)

    def state_dict(self):
        refuse('state_dict of an optimiser')

    def load_state_dict(self, state_dict):
        refuse('load_state_dict of an optimiser')


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        if lr < 0.0:
            raise ValueError(f'Invalid learning rate: {lr}')
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError('Nesterov momentum requires a momentum and zero dampening')
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize))

    def _step(self, group, params):
        numbers = [float(group[n]) for n in ('lr', 'momentum', 'dampening', 'weight_decay', 'nesterov', 'maximize')]
        new = [p for p in params if id(p) not in self.state]
        old = [p for p in params if id(p) in self.state]
        for p in new:
            self.state[id(p)] = {'momentum_buffer': self._zeros_of(p) if group['momentum'] != 0 else None}
        for chosen, is_first in ((new, 1.0), (old, 0.0)):
            if chosen:
                momenta = [self.state[id(p)]['momentum_buffer'] for p in chosen]
                sgd_step(chosen, [p.grad for p in chosen], momenta, numbers + [is_first])


class _Adam(Optimizer):
    coupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None):
        if lr < 0.0:
            raise ValueError(f'Invalid learning rate: {lr}')
        if amsgrad:
            refuse('amsgrad=True')
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize))

    def _step(self, group, params):
        by_step = defaultdict(list)
        for p in params:
            if id(p) not in self.state:
                self.state[id(p)] = {'step': 0, 'exp_avg': self._zeros_of(p), 'exp_avg_sq': self._zeros_of(p)}
            state = self.state[id(p)]
            state['step'] += 1
            by_step[state['step']].append(p)
        for step, chosen in by_step.items():
            states = [self.state[id(p)] for p in chosen]
            adam_step(chosen, [p.grad for p in chosen], [s['exp_avg'] for s in states], [s['exp_avg_sq'] for s in states],
                      [float(x) for x in (group['lr'], group['betas'][0], group['betas'][1], group['eps'],
                                          group['weight_decay'], self.coupled, group['maximize'], step)])


class Adam(_Adam):
    pass


class AdamW(_Adam):
    coupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, **kwargs):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **kwargs)
