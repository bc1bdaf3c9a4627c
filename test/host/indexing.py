# Tensors as subscripts, read and written; shifts.
import torch

x = torch.arange(24).reshape(2, 3, 4)
i = torch.tensor([2, 0, -1])
j = torch.tensor([[0, 1, 3]])
print(x[:, i], x[:, i].shape)
print(x[1, i, 1:], x[..., j].shape, x[0, :, torch.tensor([1, 2])])
print(x[torch.tensor([0, 1, 1]), i], x[torch.tensor([[0], [1]]), i].shape)
print(x[torch.tensor([0, 1]), :, torch.tensor([3, 2])], x[None, torch.tensor([1]), i].shape)
print(x[torch.tensor(1)].shape, x[:, torch.tensor(2)], x[[1, 0], [2, 2]], x[:, [0, 2]].shape)
print(x[x % 5 == 0], x[x < 0], x[:, torch.tensor([True, False, True])].shape)
print(x[torch.tensor([True, False])], x[torch.tensor([[True, False, True], [False, False, True]])])
print(torch.nonzero(x % 7 == 0), torch.tensor([0.0, 2, 0, 3]).nonzero())
print(torch.nonzero(torch.tensor([0, 1, 1]), as_tuple=True), torch.masked_select(x, x > 20))
print(x[torch.zeros(0, dtype=torch.int64)].shape, x[:, i, 2].float().sum())
for bad in (lambda: x[torch.tensor([2])], lambda: x[:, torch.tensor([0, -4])], lambda: x[torch.tensor([1.0])],
            lambda: x[torch.tensor([True, False, True])], lambda: x[i, i, i, i],
            lambda: x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]):
    try:
        bad()
    except IndexError as error:
        print(error)

y = torch.zeros(3, 4)
y[torch.tensor([0, 2])] = torch.tensor([1.0, 2, 3, 4])
y[1, torch.tensor([3, 0])] = torch.tensor([-0.0, 5])
print(y)
y[y > 2.5] = -1
y[torch.tensor([0, 2]), torch.tensor([1, 3])] += 10
y[y == 0] = torch.tensor([7.0, 8, 9])
print(y)
y[:, [0, 3]] = 0.5
y[torch.tensor([True, False, True]), 1:3] = y[1, 1:3]
print(y)

w = torch.randn(5, 3, requires_grad=True)
(w[torch.tensor([1, 1, 4])] * torch.tensor([[1.0], [2.0], [3.0]])).sum().backward()
print(w.grad)

for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
    a = torch.tensor([1, 3, 100, 7], dtype=dtype)
    print(a << 1, a >> 2, a << torch.tensor([0, 2, 7, 5], dtype=dtype), 1 << a[:2], 200 >> a[:2])
print(torch.tensor([-8, -1]) >> 1, torch.tensor([-3, 5], dtype=torch.int32) << 3)
