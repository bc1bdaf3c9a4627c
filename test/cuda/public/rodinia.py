# SPDX-License-Identifier: Apache-2.0
"""Kernels of Rodinia (yuhc/gpu-rodinia), for tools/cuda_suite.py; what they compute is written again here."""
RODINIA = "gpu-rodinia/cuda/"

# ---- one step of Gaussian elimination ----
size, step = 40, 3
a, m, b = normal(size, size), normal(size, size), normal(size)
factors = m.astype(np.float64)
factors[step + 1:, step] = wide(a)[step + 1:, step] / wide(a)[step, step]
case(RODINIA + "gaussian/gaussian.cu:Fan1", 1, 64, dict(m_cuda=m, a_cuda=a, Size=size, t=step), dict(m_cuda=factors))
rest, right = wide(a), wide(b)
rest[step + 1:, step:] -= wide(m)[step + 1:, step, None] * wide(a)[step, step:]
right[step + 1:] -= wide(m)[step + 1:, step] * right[step]
case(RODINIA + "gaussian/gaussian.cu:Fan2", (3, 3), (16, 16),
     dict(m_cuda=m, a_cuda=a, b_cuda=b, Size=size, j1=size, t=step), dict(a_cuda=rest, b_cuda=right))

# ---- back propagation, 16x16 weights a block ----
inputs, hidden = 48, 16
units, weights = normal(inputs + 1), normal(inputs + 1, hidden + 1)
tiles = (wide(weights)[1:, 1:] * wide(units)[1:, None]).reshape(3, 16, 16)
case(RODINIA + "backprop/backprop_cuda_kernel.cu:bpnn_layerforward_CUDA", (1, 3), (16, 16), {
    "input_cuda": units,
    "output_hidden_cuda": zeros(hidden + 1),
    "input_hidden_cuda": weights,
    "hidden_partial_sum": empty((3, 16)),
    "in": inputs,
    "hid": hidden
},
     dict(hidden_partial_sum=tiles.sum(1)),
     tol=5e-5)
delta, old = normal(hidden + 1), normal(inputs + 1, hidden + 1)
change = 0.3 * wide(delta)[1:] * wide(units)[1:, None] + 0.3 * wide(old)[1:, 1:]
now, kept = wide(weights), wide(old)
now[1:, 1:] += change
kept[1:, 1:] = change
bias = 0.3 * wide(delta)[1:] + 0.3 * wide(old)[0, 1:]
now[0, 1:] += bias
kept[0, 1:] = bias
case(RODINIA + "backprop/backprop_cuda_kernel.cu:bpnn_adjust_weights_cuda", (1, 3), (16, 16), {
    "delta": delta,
    "hid": hidden,
    "ly": units,
    "in": inputs,
    "w": weights,
    "oldw": old
},
     dict(w=now, oldw=kept),
     tol=5e-5)

# ---- stencils ----
rows, columns = 20, 30
power, heat = np.abs(normal(rows, columns)), normal(rows, columns) + 80


def around(x):
    padded = np.pad(wide(x), 1, "edge")
    return padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]


north, south, west, east = around(heat)
here = wide(heat)
next_heat = here + 0.5 / 2 * (wide(power) + (south + north - 2 * here) / 3 + (east + west - 2 * here) / 4 +
                              (80 - here) / 5)
case(
    RODINIA + "hotspot/hotspot.cu:calculate_temp", (3, 2), (16, 16),
    dict(iteration=1,
         power=power,
         temp_src=heat,
         temp_dst=empty(heat.shape),
         grid_cols=columns,
         grid_rows=rows,
         border_cols=1,
         border_rows=1,
         Cap=2.0,
         Rx=4.0,
         Ry=3.0,
         Rz=5.0,
         step=0.5,
         time_elapsed=0.0), dict(temp_dst=next_heat))
layers, power = normal(5, 16, 32), normal(5, 16, 32)
want = np.empty(layers.shape)
ce, cw, cn, cs, ct, cb, cc, sdc = 0.1, 0.2, 0.3, 0.4, 0.05, 0.15, 0.6, 0.25
for z in range(5):
    north, south, west, east = around(layers[z])
    below, above = wide(layers[max(z - 1, 0)]), wide(layers[min(z + 1, 4)])
    want[z] = (cc * wide(layers[z]) + cw * west + ce * east + cs * south + cn * north + cb * below + ct * above +
               sdc * wide(power[z]) + ct * 80)
case(
    RODINIA + "hotspot3D/opt1.cu:hotspotOpt1", (2, 4), (16, 4),
    dict(p=power,
         tIn=layers,
         tOut=empty(layers.shape),
         sdc=sdc,
         nx=32,
         ny=16,
         nz=5,
         ce=ce,
         cw=cw,
         cn=cn,
         cs=cs,
         ct=ct,
         cb=cb,
         cc=cc), dict(tOut=want))

# ---- the nearest, the shortest ----
places = normal(100, 2) * 50
case(RODINIA + "nn/nn_cuda.cu:euclid", 2, 64,
     dict(d_locations=places, d_distances=empty(100), numRecords=100, lat=30.0, lng=90.0),
     dict(d_distances=np.hypot(wide(places)[:, 0] - 30,
                               wide(places)[:, 1] - 90)))
wall = random.integers(0, 10, (6, 500)).astype(np.int32)
cost = wall[0].astype(np.int64)
for row in wall[1:4]:
    padded = np.pad(cost, 1, constant_values=10**6)
    cost = row + np.minimum(np.minimum(padded[:-2], padded[2:]), cost)
case(
    RODINIA + "pathfinder/pathfinder.cu:dynproc_kernel", 2, 256,
    dict(iteration=3,
         gpuWall=wall[1:],
         gpuSrc=wall[0],
         gpuResults=empty(500, np.int32),
         cols=500,
         rows=6,
         startStep=0,
         border=3), dict(gpuResults=cost))

# ---- LU decomposition in blocks of 16 ----
matrix = normal(64, 64) + 40 * np.eye(64, dtype=np.float32)


def lu(block):
    block = wide(block)
    for i in range(len(block)):
        block[i + 1:, i] /= block[i, i]
        block[i + 1:, i + 1:] -= np.outer(block[i + 1:, i], block[i, i + 1:])
    return block


diagonal = wide(matrix)
diagonal[16:32, 16:32] = lu(matrix[16:32, 16:32])
case(RODINIA + "lud/cuda/lud_kernel.cu:lud_diagonal",
     1,
     16,
     dict(m=matrix, matrix_dim=64, offset=16),
     dict(m=diagonal),
     tol=1e-4)
inner = wide(matrix)
inner[32:, 32:] -= inner[32:, 16:32] @ inner[16:32, 32:]
case(RODINIA + "lud/cuda/lud_kernel.cu:lud_internal", (2, 2), (16, 16),
     dict(m=matrix, matrix_dim=64, offset=16),
     dict(m=inner),
     tol=1e-4)
edges = wide(matrix)
low = np.tril(edges[16:32, 16:32], -1) + np.eye(16)
high = np.triu(edges[16:32, 16:32])
edges[16:32, 32:] = np.linalg.solve(low, edges[16:32, 32:])
edges[32:, 16:32] = np.linalg.solve(high.T, edges[32:, 16:32].T).T
case(RODINIA + "lud/cuda/lud_kernel.cu:lud_perimeter",
     2,
     32,
     dict(m=matrix, matrix_dim=64, offset=16),
     dict(m=edges),
     tol=1e-4)

# ---- images ----
image = np.abs(normal(1000)) * 100 + 1
case(RODINIA + "srad/srad_v1/main.cu:extract", 2, 512, dict(d_Ne=1000, d_I=image), dict(d_I=np.exp(wide(image) / 255)))
case(RODINIA + "srad/srad_v1/main.cu:compress", 2, 512, dict(d_Ne=1000, d_I=image), dict(d_I=np.log(wide(image)) * 255))
case(RODINIA + "srad/srad_v1/main.cu:prepare", 2, 512,
     dict(d_Ne=1000, d_I=image, d_sums=empty(1000), d_sums2=empty(1000)), dict(d_sums=image, d_sums2=wide(image)**2))
letters = random.integers(0, 256, 5000).astype(np.uint8)
case(RODINIA + "huffman/hist.cu:histo_kernel", 4, 256, dict(buffer=letters, size=5000, histo=zeros(256, np.uint32)),
     dict(histo=np.bincount(letters, minlength=256)))
