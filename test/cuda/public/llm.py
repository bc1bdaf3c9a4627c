# SPDX-License-Identifier: Apache-2.0
"""Kernels of dev/cuda in llm.c (karpathy/llm.c), for tools/cuda_suite.py; what they compute is written again here."""


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


LLM = "llm.c/dev/cuda/"
B, T, C, NH = 2, 32, 128, 4
HS, N = C // NH, B * T


def llm(kernel, grid, block, args, want, **more):
    case(LLM + kernel, grid, block, args, want, **more)


p, g, m, v = normal(4, 1000)
v = np.abs(v)
for name in ["adamw_kernel1", "adamw_kernel2"]:
    m1, v1 = 0.9 * wide(m) + 0.1 * wide(g), 0.999 * wide(v) + 0.001 * wide(g)**2
    step = m1 / 0.1 / (np.sqrt(v1 / 0.001) + 1e-8) + 0.01 * wide(p)
    llm(f"adamw.cu:{name}",
        4,
        256,
        dict(params_memory=p,
             grads_memory=g,
             m_memory=m,
             v_memory=v,
             num_parameters=1000,
             learning_rate=1e-3,
             beta1=0.9,
             beta2=0.999,
             beta1_correction=0.1,
             beta2_correction=0.001,
             eps=1e-8,
             weight_decay=0.01),
        dict(m_memory=m1, v_memory=v1, params_memory=p - 1e-3 * step),
        tol=1e-4)

heads = normal(B, T, 3, NH, HS)
split = [heads[:, :, i].transpose(0, 2, 1, 3) for i in range(3)]
one = normal(B, NH, T, HS)
threads = B * NH * T * HS
for file in ["attention_backward.cu", "attention_forward.cu"]:
    llm(f"{file}:permute_kernel",
        threads // 256,
        256,
        dict(q=empty(one.shape), k=empty(one.shape), v=empty(one.shape), inp=heads, B=B, N=T, NH=NH, d=HS),
        dict(zip("qkv", split)),
        tol=0)
    llm(f"{file}:unpermute_kernel",
        threads // 256,
        256,
        dict(inp=one, out=empty((B, T, NH, HS)), B=B, N=T, NH=NH, d=HS),
        dict(out=one.transpose(0, 2, 1, 3)),
        tol=0)
llm("trimat_forward.cu:permute_kernel",
    threads // 256,
    256,
    dict(q=empty(one.shape), k=empty(one.shape), v=empty(one.shape), inp=heads, B=B, T=T, NH=NH, HS=HS),
    dict(zip("qkv", split)),
    tol=0)
llm("attention_backward.cu:permute_kernel_backward",
    threads // 256,
    256,
    dict(dinp=zeros(heads.shape),
         dq=np.ascontiguousarray(split[0]),
         dk=np.ascontiguousarray(split[1]),
         dv=np.ascontiguousarray(split[2]),
         B=B,
         N=T,
         NH=NH,
         d=HS),
    dict(dinp=heads),
    tol=0)
llm("attention_backward.cu:unpermute_kernel_backward",
    threads // 256,
    256,
    dict(dinp=zeros(one.shape), dout=np.ascontiguousarray(one.transpose(0, 2, 1, 3)), B=B, N=T, NH=NH, d=HS),
    dict(dinp=one),
    tol=0)

lower = np.tril(np.ones((T, T), bool))
scores = normal(B, NH, T, T)


def causal(scores, scale=1.0):
    return softmax(np.where(lower, wide(scores) * scale, -np.inf))


attention = causal(scores)
llm("attention_forward.cu:attention_softmax_kernel1", 1, 256,
    dict(att=empty(scores.shape), preatt=scores, B=B, T=T, NH=NH), dict(att=attention))
for file in ["attention_backward.cu", "attention_forward.cu"]:
    llm(f"{file}:softmax_forward_kernel5", 32, 256,
        dict(out=zeros(scores.shape), inv_temperature=0.25, inp=scores, N=B * NH, T=T), dict(out=causal(scores, 0.25)))
llm("attention_forward.cu:scale_kernel", 32, 256, dict(inp=scores, scale=0.5, B=B, NH=NH, T=T),
    dict(inp=np.where(lower,
                      wide(scores) * 0.5, -np.inf)))
packed = normal(B, T, 3, NH, HS)
query, key, value = (wide(packed[:, :, i]).transpose(0, 2, 1, 3) for i in range(3))
products_of = query @ key.transpose(0, 1, 3, 2) / np.sqrt(HS)
llm("attention_forward.cu:attention_query_key_kernel1",
    32,
    256,
    dict(preatt=empty(scores.shape), inp=packed, B=B, T=T, C=C, NH=NH),
    dict(preatt=np.where(lower, products_of, -np.inf)),
    tol=1e-4)
att = attention.astype(np.float32)
llm("attention_forward.cu:attention_value_kernel1",
    1,
    256,
    dict(out=zeros((B, T, C)), att=att, inp=packed, B=B, T=T, C=C, NH=NH),
    dict(out=(wide(att) @ value).transpose(0, 2, 1, 3)),
    tol=1e-4)
llm("attention_forward.cu:attention_forward_kernel2", (B, NH),
    16,
    dict(Q=query.astype(np.float32),
         K=key.astype(np.float32),
         V=value.astype(np.float32),
         N=T,
         d=HS,
         Tc=2,
         Tr=2,
         Bc=16,
         Br=16,
         softmax_scale=1 / np.sqrt(HS),
         l=zeros((B, NH, T)),
         m=np.full((B, NH, T), -np.inf, np.float32),
         O=zeros((B, NH, T, HS))),
    dict(O=softmax(np.where(lower, products_of, -np.inf)) @ value),
    tol=1e-4,
    shared=(3 * 16 * HS + 16 * 16) * 4)

datt = normal(B, NH, T, T)
scale = 1 / np.sqrt(HS)
dpreatt = scale * wide(att) * (wide(datt) - (wide(att) * wide(datt)).sum(-1, keepdims=True))
for name, grid, block, made in [("kernel1", 1, 32, zeros), ("kernel2", (1, B * NH), 32, zeros),
                                ("kernel3", (4, B * NH), 256, zeros), ("kernel4", (1, B * NH), 128, zeros),
                                ("kernel5", (1, B * NH), 128, zeros), ("kernel6<32>", (T, B * NH), 32, zeros)]:
    llm(f"attention_backward.cu:softmax_autoregressive_backward_{name}",
        grid,
        block,
        dict(dpreatt=made(att.shape), datt=datt, att=att, B=B, T=T, C=C, NH=NH),
        dict(dpreatt=dpreatt),
        tol=1e-4)
for name, grid in [("kernel7<256>", (T, B * NH)), ("kernel8<256>", (T // 4, B * NH))]:
    # Each warp writes its place of an array that the first warp is yet to clear.
    llm(f"attention_backward.cu:softmax_autoregressive_backward_{name}",
        grid,
        256,
        dict(dpreatt=zeros(att.shape), datt=datt, att=att, B=B, T=T, C=C, scale=scale),
        dict(dpreatt=dpreatt),
        tol=1e-4,
        finds=dict(sim="race"))

V = 100
logits, dlosses = normal(N, V), np.abs(normal(N))
targets = random.integers(0, V, N).astype(np.int32)
probs = softmax(wide(logits))
hot = np.eye(V)[targets]
losses = -np.log(probs[np.arange(N), targets])
llm("classifier_fused.cu:fused_classifier_kernel1",
    16,
    128,
    dict(dlogits=empty(logits.shape),
         losses=empty(N),
         logits=logits,
         dlosses=dlosses,
         targets=targets,
         B=B,
         T=T,
         V=V,
         P=V),
    dict(dlogits=(probs - hot) * dlosses[:, None], losses=losses),
    tol=5e-5)
for name, finds in [("kernel2", {}), ("kernel3", {}), ("kernel4", {}), ("kernel5<true, true>", dict(sim="race"))]:
    llm(f"classifier_fused.cu:fused_classifier_{name}",
        N,
        128,
        dict(dlogits=empty(logits.shape),
             losses=empty(N),
             probs=empty(logits.shape),
             logits=logits,
             dlosses=dlosses,
             targets=targets,
             B=B,
             T=T,
             V=V,
             P=V),
        dict(dlogits=(probs - hot) * dlosses[:, None], losses=losses),
        tol=5e-5,
        finds=finds)
floats = probs.astype(np.float32)
llm("crossentropy_forward.cu:crossentropy_forward_kernel1", 1, 64,
    dict(losses=empty(N), probs=floats, targets=targets, B=B, T=T, V=V), dict(losses=losses))
llm("crossentropy_softmax_backward.cu:crossentropy_softmax_backward_kernel1", 25, 256,
    dict(dlogits=zeros(logits.shape), dlosses=dlosses, probs=floats, targets=targets, B=B, T=T, V=V),
    dict(dlogits=(probs - hot) * dlosses[:, None]))

# From here floatX is bfloat16 in most files.
BF16 = 1e-2
tokens = random.integers(0, 50, (B, T)).astype(np.int32)
wte, wpe, dout = near(normal(50, C)), near(normal(T, C)), normal(B, T, C)
for name, grid in [("kernel1", 1), ("kernel2", N * C // 256), ("kernel3", N * C // 2048)]:
    llm(f"encoder_forward.cu:encoder_forward_{name}",
        grid,
        256,
        low(dict(out=empty((B, T, C)), inp=tokens, wte=wte, wpe=wpe, B=B, T=T, C=C)),
        dict(out=wide(wte)[tokens] + wpe),
        tol=BF16)
dwte = np.zeros((50, C))
np.add.at(dwte, tokens, wide(dout))
for name, grid in [("kernel1", N * C // 256), ("kernel2", 1)]:
    llm(f"encoder_backward.cu:encoder_backward_{name}", grid, 256,
        dict(dwte=zeros((50, C)), dwpe=zeros((T, C)), dout=dout, inp=tokens, B=B, T=T, C=C),
        dict(dwte=dwte, dwpe=wide(dout).sum(0)))

a, b = near(normal(2, 4096))
for file, name, grid in [("residual_forward.cu", "residual_forward_kernel1", 16),
                         ("residual_forward.cu", "residual_forward_kernel2", 2),
                         ("fused_residual_forward.cu", "residual_forward_kernel1", 16)]:
    llm(f"{file}:{name}",
        grid,
        256,
        low(dict(out=empty(4096), inp1=a, inp2=b, N=4096)),
        dict(out=wide(a) + b),
        tol=BF16)
for name, grid in [("gelu_forward_kernel1", 16), ("gelu_forward_kernel2", 2)]:
    llm(f"gelu_forward.cu:{name}",
        grid,
        256,
        low(dict(out=empty(4096), inp=a, N=4096)),
        dict(out=gelu(wide(a))),
        tol=BF16)
t = np.tanh(np.sqrt(2 / np.pi) * (wide(a) + 0.044715 * wide(a)**3))
slope = 0.5 * (1 + t) + 0.5 * wide(a) * (1 - t * t) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * wide(a)**2)
for name, grid in [("gelu_backward1", 16), ("gelu_backward2", 2)]:
    llm(f"gelu_backward.cu:{name}",
        grid,
        256,
        low(dict(dinp=empty(4096), inp=a, dout=b, N=4096)),
        dict(dinp=slope * wide(b)),
        tol=BF16)
# All lanes of a warp write their sum to one place, here and below.
for name, finds in [("norm_kernel1<float>", dict(sim="race")), ("norm_kernel2<float>", {}),
                    ("norm_kernel3<float>", {})]:
    llm(f"global_norm.cu:{name}",
        4,
        256,
        dict(out=zeros(1), data=a, count=4096),
        dict(out=[(wide(a)**2).sum()]),
        finds=finds)
llm("global_norm.cu:norm_kernel4<float>", 4, 256, dict(out=empty(4), data=a, count=4096),
    dict(out=[(wide(a).reshape(4, 4, 256)[:, i]**2).sum() for i in range(4)]))
llm("global_norm.cu:global_norm_aggregate_kernel", 1, 1024, dict(out=np.abs(a[:500]), count=500),
    dict(out=np.concatenate([[np.abs(wide(a[:500])).sum()], np.abs(wide(a[1:500]))])))

x, weight, bias = near(normal(N, C) * 2 + 0.5), near(normal(C)), near(normal(C))
mean, rstd = wide(x).mean(1), 1 / np.sqrt(wide(x).var(1) + 1e-5)
hat = (wide(x) - mean[:, None]) * rstd[:, None]
normed = hat * weight + bias
made = dict(out=empty(x.shape), mean=empty(N), rstd=empty(N), inp=x, weight=weight, bias=bias, N=N, C=C)
for name, grid, block, shared in [("kernel1", 1, 64, 0), ("kernel3", 8, 256, 0), ("kernel4", 8, 256, 0),
                                  ("kernel5", N, 128, 0), ("kernel6", 16, (32, 4), 6 * C * 4)]:
    llm(f"layernorm_forward.cu:layernorm_forward_{name}",
        grid,
        block,
        made,
        dict(out=normed, mean=mean, rstd=rstd),
        tol=1e-4,
        shared=shared,
        finds=dict(sim="race") if name == "kernel5" else {})
llm("layernorm_forward.cu:mean_kernel",
    N,
    128,
    dict(mean=empty(N), inp=x, N=N, C=C, block_size=128),
    dict(mean=mean),
    shared=512)
mean32, rstd32 = mean.astype(np.float32), rstd.astype(np.float32)
llm("layernorm_forward.cu:rstd_kernel",
    N,
    128,
    dict(rstd=empty(N), inp=x, mean=mean32, N=N, C=C, block_size=128),
    dict(rstd=rstd),
    shared=512)
llm("layernorm_forward.cu:normalization_kernel",
    N * C // 256,
    256,
    dict(out=empty(x.shape), inp=x, mean=mean32, rstd=rstd32, weight=weight, bias=bias, B=B, T=T, C=C),
    dict(out=normed),
    tol=1e-4)
both = low(
    dict(residual=empty(x.shape),
         normed=empty(x.shape),
         mean=empty(N),
         rstd=empty(N),
         inp1=x / 4,
         inp2=x * 3 / 4,
         weight=weight,
         bias=bias,
         N=N,
         C=C))
for name, grid, block, shared in [("2", 1, 64, 0), ("3", 16, (32, 4), 0), ("_kernel4", 16, (32, 4), 0),
                                  ("_kernel5", 16, (32, 4), 6 * C * 2), ("_kernel6", 8, (32, 1, 4), 6 * C * 2 + 1024)]:
    llm(f"fused_residual_forward.cu:fused_residual_forward{name}",
        grid,
        block,
        both,
        dict(residual=x, normed=normed, mean=mean, rstd=rstd),
        tol=3e-2,
        shared=shared,
        finds=dict(sim="race") if "6" in name else {})
llm("fused_residual_forward.cu:layernorm_forward_kernel1",
    1,
    64,
    low(made),
    dict(out=normed, mean=mean, rstd=rstd),
    tol=3e-2)

dout = near(normal(N, C))
dnorm = wide(dout) * weight
dinp = (dnorm - dnorm.mean(1, keepdims=True) - hat * (dnorm * hat).mean(1, keepdims=True)) * rstd[:, None]
back = dict(dinp=zeros(x.shape),
            dweight=zeros(C),
            dbias=zeros(C),
            dout=dout,
            inp=x,
            weight=weight,
            mean=mean32,
            rstd=rstd32,
            B=B,
            T=T,
            C=C)
gradients = dict(dinp=dinp, dweight=(wide(dout) * hat).sum(0), dbias=wide(dout).sum(0))
llm("layernorm_backward.cu:layernorm_backward_kernel1", 1, 64, back, gradients, tol=1e-4)
llm("layernorm_backward.cu:layernorm_backward_kernel2<float, float, float, float>",
    8,
    256, {
        **back, "dweight_tmp": zeros(C),
        "dbias_tmp": zeros(C)
    },
    dict(dinp=dinp, dweight_tmp=gradients["dweight"], dbias_tmp=gradients["dbias"]),
    tol=1e-4,
    shared=2 * C * 4)
llm("layernorm_backward.cu:layernorm_backward_kernel4<float, __nv_bfloat16, float, float>",
    4,
    256,
    low(back, "dinp", "dout", "inp", "mean", "rstd"),
    gradients,
    tol=5e-2,
    shared=2 * C * 4,
    finds=dict(sim="race"))
for name, grid, block, words in [("kernel3", 4, 256, 0), ("kernel5", 4, 256, 1), ("kernel6", 4, 256, 1)]:
    scratch = dict(scratch=zeros(8 * (2 * C + 32))) if words else {}
    llm(f"layernorm_backward.cu:layernorm_backward_{name}<float, float, float, float>",
        grid,
        block, {
            **back,
            **scratch
        },
        gradients,
        tol=1e-4,
        shared=(2 * C + words) * 4)
# These take rows of 256 numbers and more, 8 a lane.
C = 256
x, weight, dout = near(normal(N, C) * 2 + 0.5), near(normal(C)), near(normal(N, C))
mean, rstd = near(wide(x).mean(1)), near(1 / np.sqrt(wide(x).var(1) + 1e-5))
hat = (wide(x) - mean[:, None]) * rstd[:, None]
dnorm = wide(dout) * weight
dinp = (dnorm - dnorm.mean(1, keepdims=True) - hat * (dnorm * hat).mean(1, keepdims=True)) * rstd[:, None]
back = dict(dinp=zeros(x.shape),
            dweight=zeros(C),
            dbias=zeros(C),
            scratch=zeros(8 * (2 * C + 512)),
            dout=dout,
            inp=x,
            weight=weight,
            mean=mean,
            rstd=rstd,
            B=B,
            T=T,
            C=C)
gradients = dict(dinp=dinp, dweight=(wide(dout) * hat).sum(0), dbias=wide(dout).sum(0))
for name, words in [("kernel7", 1), ("kernel8", 1), ("kernel9", 2 * 256 + 1), ("kernel10", 2 * (256 - 32) * 4)]:
    llm(f"layernorm_backward.cu:layernorm_backward_{name}",
        4,
        256,
        low(back, "scratch"),
        gradients,
        tol=3e-2,
        # Without a fence between what blocks write and the count by which the last one knows that it may read.
        finds=dict(sim="race") if name in ("kernel9", "kernel10") else {},
        shared=(2 * C + words) * 4)
C = 128
tmp = normal(2, C)
llm("layernorm_backward.cu:copy_to_dweight_dbias<float>",
    1,
    512,
    dict(C=C, dbias=empty(C), dweight=empty(C), dbias_tmp=tmp[0], dweight_tmp=tmp[1]),
    dict(dbias=tmp[0], dweight=tmp[1]),
    tol=0)

OC = 256
dout, before = near(normal(N, OC)), near(normal(OC))
total = wide(dout).sum(0)
args = dict(dbias=before, dout=dout, B=B, T=T, OC=OC)
llm("matmul_backward.cu:matmul_backward_bias_kernel_naive", 2, 128, args, dict(dbias=total))
llm("matmul_backward.cu:matmul_backward_bias_kernel_faster", OC, 64, args, dict(dbias=total), shared=256)
for name, grid, block, shared in [("kernel1", OC, 64, 256), ("kernel2", 32, 256, 0), ("kernel3", OC, 128, 0),
                                  ("kernel4", 8, 128, 512)]:
    llm(f"matmul_backward_bias.cu:matmul_backward_bias_{name}",
        grid,
        block,
        low(args),
        dict(dbias=wide(before) + total),
        shared=shared,
        tol=BF16,
        finds=dict(sim="race") if name == "kernel3" else {})
llm("matmul_backward_bias.cu:matmul_backward_bias_kernel7", (1, 2), (32, 8),
    low({
        **args, "block_size": 256
    }, "dbias"),
    dict(dbias=wide(before) + total),
    shared=1024,
    tol=5e-5)
b, c = near(normal(2, 1000))
llm("matmul_backward_bias.cu:cast_and_add_kernel",
    4,
    256,
    low(dict(dst=b, src=c, n=1000), "src"),
    dict(dst=wide(b) + c),
    tol=BF16)
parts = normal(6, 1024)
b = near(normal(1024))
llm("matmul_backward_bias.cu:reduce_add_sum_kernel",
    1,
    256,
    low(dict(dst=b, src=parts, n=1024, m=6), "src"),
    dict(dst=wide(b) + wide(parts).sum(0)),
    tol=BF16)

inp, weight, bias = normal(128, 64), normal(256, 64), normal(256)
product = wide(inp) @ wide(weight).T
llm("matmul_forward.cu:matmul_forward_kernel1", (8, 16), (16, 16),
    dict(out=empty((128, 256)), inp=inp, weight=weight, bias=bias, BT=128, C=64, OC=256),
    dict(out=product + bias),
    tol=1e-4)
llm("matmul_forward.cu:matmul_forward_kernel4", (1, 2), (16, 16),
    dict(out=empty((128, 256)), inp=inp, weight=weight, bias=bias, C=64, OC=256),
    dict(out=product + bias),
    tol=1e-4)
out = normal(128, 256)
llm("matmul_forward.cu:add_bias", 16, 256, dict(out=out, bias=bias, B=4, T=32, OC=256), dict(out=wide(out) + bias))
matrix = normal(5, 6, 7, 8)
llm("permute.cu:permute_kernel",
    7,
    256,
    dict(matrix=matrix, out_matrix=empty(matrix.size), dim1=5, dim2=6, dim3=7, dim4=8),
    dict(out_matrix=matrix.transpose(3, 2, 0, 1)),
    tol=0)
llm("nccl_all_reduce.cu:set_vector",
    4,
    256,
    dict(data=empty(1000), N=1000, value=2.5),
    dict(data=np.full(1000, 2.5)),
    tol=0)
x = normal(24, 300)
for name, grid, block, shared, finds in [
    ("kernel1", 1, 32, 0, {}),
    ("kernel2", 24, 64, 256, {}),
    ("kernel3", 24, 32, 128, {}),
        # A warp's sum goes where another one may still read the row's maximum.
    ("kernel4", 24, 128, 32, dict(sim="race")),
    ("online_kernel1", 1, 32, 0, {}),
    ("online_kernel2", 3, 256, 0, {}),
        # Lanes behind the row's end read what is written by another one.
    ("kernel7", 24, 128, 32, dict(sim="race")),
    ("online_kernel8", 3, 256, 0, {})
]:
    llm(f"softmax_forward.cu:softmax_forward_{name}",
        grid,
        block,
        dict(out=empty(x.shape), inp=x, N=24, C=300),
        dict(out=softmax(wide(x))),
        shared=shared,
        finds=finds,
        refused="a list in braces as an argument" if name == "online_kernel2" else None)
