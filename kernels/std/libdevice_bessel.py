# SPDX-License-Identifier: Apache-2.0
# Bessel functions of libdevice, for fp32 and fp64. Below 8 a polynomial in x x / 32 - 1 (of y less
# the part with the logarithm), above P cos(w) - Q sin(w) and P sin(w) + Q cos(w), w = x - phase, with
# polynomials in 64 / (x x). J and Y are exact to 2e-15 of 1: near their zeros not to the last bits.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _wide(x):
    x = tl.to_tensor(x)
    tl.static_assert(x.dtype == tl.float32 or x.dtype == tl.float64, "this function of libdevice needs fp32 or fp64")
    return x.to(tl.float64)


@triton.jit
def _like(value, x):
    return value.to(tl.to_tensor(x).dtype)


@triton.jit
def _parts(x, order: tl.constexpr):
    # P, Q and the sine and cosine of w, over sqrt(pi x / 2); x >= 8
    r = 1.0 / x
    t = 64.0 * r * r
    if order == 0:
        p = -9.29540244708693e-11 * t + 7.407863558784998e-10
        p = p * t + -2.7665349658558268e-09
        p = p * t + 6.567427583744966e-09
        p = p * t + -1.1558696461579817e-08
        p = p * t + 1.7236203631456423e-08
        p = p * t + -2.5395434404600186e-08
        p = p * t + 4.3812698516604044e-08
        p = p * t + -1.0239239991285941e-07
        p = p * t + 3.6203309521173534e-07
        p = p * t + -2.183919034228364e-06
        p = p * t + 2.738088367210925e-05
        p = p * t + -0.0010986328124996737
        p = p * t + 1.0
        q = 7.992208185039611e-10 * t + -6.312757842328772e-09
        q = q * t + 2.326329561535314e-08
        q = q * t + -5.40798879623974e-08
        q = q * t + 9.196525551455919e-08
        q = q * t + -1.294758179775837e-07
        q = q * t + 1.738598639373869e-07
        q = q * t + -2.619389801844378e-07
        q = q * t + 5.128257431965574e-07
        q = q * t + -1.4531181940492296e-06
        q = q * t + 6.590752087383666e-06
        q = q * t + -5.544628928009036e-05
        q = q * t + 0.0011444091796844857
        q = q * t + -0.12499999999999999
    else:
        p = 9.840821678448612e-11 * t + -7.846707061002526e-10
        p = p * t + 2.932813230777702e-09
        p = p * t + -6.971334048415056e-09
        p = p * t + 1.229719716702473e-08
        p = p * t + -1.8410150403133396e-08
        p = p * t + 2.7310862271339776e-08
        p = p * t + -4.763576237721032e-08
        p = p * t + 1.1317408863913823e-07
        p = p * t + -4.103048089140431e-07
        p = p * t + 2.580995295001314e-06
        p = p * t + -3.5203993297701904e-05
        p = p * t + 0.0018310546874996559
        p = p * t + 1.0
        q = -8.444427200072099e-10 * t + 6.67306043217023e-09
        q = q * t + -2.4608376619829315e-08
        q = q * t + 5.7271028826226886e-08
        q = q * t + -9.757592676638466e-08
        q = q * t + 1.3782740725415923e-07
        q = q * t + -1.8612719875479017e-07
        q = q * t + 2.8300006796479155e-07
        q = q * t + -5.61694136836811e-07
        q = q * t + 1.6240781447013697e-06
        q = q * t + -7.6047144829333516e-06
        q = q * t + 6.776768693173265e-05
        q = q * t + -0.0016021728515593268
        q = q * t + 0.375
    # sin(x - pi / 4) = (sin(x) - cos(x)) / sqrt(2); another quarter turn of order 1
    sine = tl.sin(x)
    cosine = tl.cos(x)
    s = (sine - cosine) * 0.7071067811865476
    c = (sine + cosine) * 0.7071067811865476
    if order == 1:
        s, c = -c, s
    size = tl.sqrt(0.6366197723675814 * r)
    return size * p, size * q * r, s, c


@triton.jit
def _near_j(u, order: tl.constexpr):
    # J below 8; of order 1 J over x
    if order == 0:
        v = 4.0030437640628113e-13 * u + -1.2433011305498057e-11
        v = v * u + 3.363450456866669e-10
        v = v * u + -7.915323084479192e-09
        v = v * u + 1.5956109057781304e-07
        v = v * u + -2.7177492236298073e-06
        v = v * u + 3.8473197856340086e-05
        v = v * u + -0.000443545922431152
        v = v * u + 0.004058078989140805
        v = v * u + -0.028472718610882044
        v = v * u + 0.14598884856759267
        v = v * u + -0.5074680458471
        v = v * u + 1.0383794611437211
        v = v * u + -0.8080888076696872
        v = v * u + -0.6484692830871837
        v = v * u + 0.9303012472958572
        v = v * u + 0.04582966485981377
    else:
        v = 1.2093613396338289e-14 * u + -4.004572738786147e-13
        v = v * u + 1.1610597914042965e-11
        v = v * u + -2.943013798390916e-10
        v = v * u + 6.431268785753088e-09
        v = v * u + -1.1967081867872172e-07
        v = v * u + 1.8684525372057272e-06
        v = v * u + -2.4045748659686983e-05
        v = v * u + 0.00024949458139090494
        v = v * u + -0.0020290394945705996
        v = v * u + 0.012456814392255438
        v = v * u + -0.05474581821284722
        v = v * u + 0.15858376432721938
        v = v * u + -0.2595948652859303
        v = v * u + 0.15151665143806634
        v = v * u + 0.08105866038589796
        v = v * u + -0.05814382795599107
    return v


@triton.jit
def _j(a, order: tl.constexpr):
    # of a >= 0
    small = tl.minimum(a, 8.0)
    u = small * small * 0.03125 - 1.0
    v = _near_j(u, order)
    if order == 1:
        v = v * small
    far = tl.where((a >= 8.0) & (a < float("inf")), a, 8.0)
    p, q, s, c = _parts(far, order)
    value = tl.where(a < 8.0, v, p * c - q * s)
    value = tl.where(a == float("inf"), 0.0, value)
    return tl.where(a != a, a, value)


@triton.jit
def _y(a, order: tl.constexpr):
    # of any number: of 0 it is -inf, of negative ones there is none
    small = tl.minimum(tl.maximum(a, 5e-324), 8.0)
    u = small * small * 0.03125 - 1.0
    near = 0.6366197723675814 * tl.log(small)
    v = _near_j(u, order)
    if order == 0:
        r = -8.838468394309022e-13 * u + 2.6926937109987802e-11
        r = r * u + -7.130468040126112e-10
        r = r * u + 1.6390875017619395e-08
        r = r * u + -3.218507833909702e-07
        r = r * u + 5.321318810394401e-06
        r = r * u + -7.279541882544516e-05
        r = r * u + 0.00080615860596164
        r = r * u + -0.007025741057270546
        r = r * u + 0.046367047681375125
        r = r * u + -0.2189574709617164
        r = r * u + 0.6721770783431679
        r = r * u + -1.0775477338215995
        r = r * u + 0.14412632369302475
        r = r * u + 1.6470964788745466
        r = r * u + -0.8284358903604587
        r = r * u + -0.382250654459425
        v = near * v + r
    else:
        r = -2.6946935633741497e-14 * u + 8.760000901470383e-13
        r = r * u + -2.4887527719058385e-11
        r = r * u + 6.169688029976363e-10
        r = r * u + -1.3153322522176987e-08
        r = r * u + 2.3804930420500538e-07
        r = r * u + -3.6009998743823114e-06
        r = r * u + 4.4674330126463756e-05
        r = r * u + -0.00044381734351148726
        r = r * u + 0.0034224907399188495
        r = r * u + -0.019628756833099427
        r = r * u + 0.07854786922242532
        r = r * u + -0.19639839859930425
        r = r * u + 0.23507209206669755
        r = r * u + 0.023367571720993584
        r = r * u + -0.24337743079193114
        r = r * u + 0.07075985882118005
        v = (near * v + r) * small - 0.6366197723675814 / small
    far = tl.where((a >= 8.0) & (a < float("inf")), a, 8.0)
    p, q, s, c = _parts(far, order)
    value = tl.where(a < 8.0, v, p * s + q * c)
    value = tl.where(a == float("inf"), 0.0, value)
    value = tl.where(a == 0, float("-inf"), tl.where(a < 0, float("nan"), value))
    return tl.where(a != a, a, value)


@triton.jit
def j0(x):
    return _like(_j(tl.abs(_wide(x)), 0), x)


@triton.jit
def j1(x):
    a = _wide(x)
    value = _j(tl.abs(a), 1)
    return _like(tl.where(a < 0, -value, value), x)


@triton.jit
def y0(x):
    return _like(_y(_wide(x), 0), x)


@triton.jit
def y1(x):
    return _like(_y(_wide(x), 1), x)


@triton.jit
def _most(n):
    # The largest of a tile, or the number itself.
    if len(n.shape) == 0:
        return n
    return tl.max(tl.ravel(n), axis=0)


@triton.jit
def yn(n, x):
    # Upwards from y0 and y1: y grows. Of a negative order libdevice has none.
    a = _wide(x)
    n = tl.to_tensor(n) + tl.zeros_like(a).to(tl.int32)
    a = a + tl.zeros_like(n).to(tl.float64)
    before = _y(a, 0)
    now = _y(a, 1)
    value = tl.where(n == 0, before, now)
    old = before
    plain = (a > 0) & (a < float("inf"))
    r = 2.0 / tl.where(plain, a, 1.0)
    for k in range(1, _most(n)):
        next = tl.where(now == float("-inf"), now, k * r * now - old)
        old = now
        now = next
        value = tl.where(n == k + 1, now, value)
    value = tl.where(plain, value, before)
    return _like(tl.where(n < 0, float("nan"), value), x)


@triton.jit
def jn(n, x):
    # Upwards from j0 and j1 where x > n; else downwards from an order at which J is nothing
    # (Miller): the sum j0 + 2 j2 + 2 j4 .. is 1. Of a negative order libdevice has none.
    b = _wide(x)
    n = tl.to_tensor(n) + tl.zeros_like(b).to(tl.int32)
    b = b + tl.zeros_like(n).to(tl.float64)
    a = tl.abs(b)
    plain = (a > 0) & (a < float("inf"))
    s = tl.where(plain, a, 1.0)
    old = _j(s, 0)
    now = _j(s, 1)
    value = tl.where(n == 0, old, now)
    r = 2.0 / s
    most = _most(n)
    lead = 0.5 * s  # (x / 2)^n / n!: all there is of a small x
    least = lead
    for k in range(1, most):
        next = k * r * now - old
        old = now
        now = next
        value = tl.where(n == k + 1, now, value)
        lead = lead * (0.5 * s) / (k + 1)
        least = tl.where(n == k + 1, lead, least)
    upward = s > n.to(tl.float64)
    # Where x <= n the largest argument is the largest order.
    start = 2 * ((most + 40 + 6 * tl.sqrt(tl.maximum(most, 1).to(tl.float32)).to(tl.int32)) // 2)
    old = tl.zeros_like(s)
    now = tl.full(s.shape, 1e-250, tl.float64)
    sum = tl.zeros_like(s)
    found = tl.zeros_like(s)
    t = tl.where(upward | (s < 1e-9), 0.25, r)
    for i in range(0, start):
        k = start - i  # now is J of order k
        sum = tl.where(k % 2 == 0, sum + 2.0 * now, sum)
        found = tl.where(n == k, now, found)
        next = k * t * now - old
        old = now
        now = next
        big = tl.abs(now) > 1e200
        scale = tl.where(big, 1e-200, 1.0)
        now = now * scale
        old = old * scale
        sum = sum * scale
        found = found * scale
    below = found / (sum + now)
    value = tl.where(upward | (n <= 1), value, tl.where(s < 1e-9, least, below))
    value = tl.where((b < 0) & (n % 2 == 1), -value, value)
    value = tl.where(a == 0, tl.where(n == 0, 1.0, 0.0), tl.where(a == float("inf"), 0.0, value))
    value = tl.where(a != a, a, value)
    return _like(tl.where(n < 0, float("nan"), value), x)


@triton.jit
def _large_i(x, order: tl.constexpr):
    # exp(x) / sqrt(2 pi x) times a polynomial in 16 / x, for x >= 16; exp in two steps: it may be too large
    r = 1.0 / x
    t = 16.0 * r
    if order == 0:
        p = -5.1807897956176477e-11 * t + 5.566721631429052e-10
        p = p * t + -2.1360763762487962e-09
        p = p * t + 4.526024196510858e-09
        p = p * t + -5.995479315755483e-09
        p = p * t + 5.548366305900373e-09
        p = p * t + -3.0950403873697737e-09
        p = p * t + 2.9651660295686103e-09
        p = p * t + 5.941691990975e-09
        p = p * t + 3.4234057539970476e-08
        p = p * t + 2.165703493932622e-07
        p = p * t + 1.7113068708070337e-06
        p = p * t + 1.7881393336532596e-05
        p = p * t + 0.00027465820312792393
        p = p * t + 0.007812499999999965
        p = p * t + 1.0
    else:
        p = 4.7580065005203726e-11 * t + -5.38091491924024e-10
        p = p * t + 2.0998988693968558e-09
        p = p * t + -4.491831924016733e-09
        p = p * t + 5.979129139587542e-09
        p = p * t + -5.567350182296681e-09
        p = p * t + 3.0679585908379835e-09
        p = p * t + -3.1634195033264986e-09
        p = p * t + -6.928051343816504e-09
        p = p * t + -4.043935822004972e-08
        p = p * t + -2.647006452178644e-07
        p = p * t + -2.2002512396278896e-06
        p = p * t + -2.5033950708529177e-05
        p = p * t + -0.00045776367187795684
        p = p * t + -0.023437499999999965
        p = p * t + 1.0
    half = tl.exp(tl.minimum(x, 1400.0) * 0.5)
    return half * (p * tl.sqrt(0.15915494309189535 * r)) * half


@triton.jit
def cyl_bessel_i0(x):
    a = tl.abs(_wide(x))
    small = tl.minimum(a, 16.0)
    u = small * small * 0.25
    p = 1.3262598613026087e-74 * u + 1.4442969889585408e-71
    p = p * u + 1.4789601166935458e-68
    p = p * u + 1.4212806721424976e-65
    p = p * u + 1.2791526049282477e-62
    p = p * u + 1.0757673407446564e-59
    p = p * u + 8.434015951438106e-57
    p = p * u + 6.14839762859838e-54
    p = p * u + 4.156316796932504e-51
    p = p * u + 2.597697998082815e-48
    p = p * u + 1.4962740468957016e-45
    p = p * u + 7.91528970807826e-43
    p = p * u + 3.8310002187098785e-40
    p = p * u + 1.6894710964510562e-37
    p = p * u + 6.757884385804225e-35
    p = p * u + 2.4395962632753253e-32
    p = p * u + 7.904291893012054e-30
    p = p * u + 2.2843403570804838e-27
    p = p * u + 5.8479113141260385e-25
    p = p * u + 1.3157800456783586e-22
    p = p * u + 2.5789288895295828e-20
    p = p * u + 4.358389823304995e-18
    p = p * u + 6.276081345559193e-16
    p = p * u + 7.594058428126623e-14
    p = p * u + 7.594058428126624e-12
    p = p * u + 6.151187326782565e-10
    p = p * u + 3.936759889140842e-08
    p = p * u + 1.9290123456790124e-06
    p = p * u + 6.944444444444444e-05
    p = p * u + 0.001736111111111111
    p = p * u + 0.027777777777777776
    p = p * u + 0.25
    p = p * u + 1.0
    p = p * u + 1.0
    value = tl.where(a < 16.0, p, _large_i(tl.where(a < float("inf"), tl.maximum(a, 16.0), 1e6), 0))
    return _like(tl.where(a != a, a, value), x)


@triton.jit
def cyl_bessel_i1(x):
    b = _wide(x)
    a = tl.abs(b)
    small = tl.minimum(a, 16.0)
    u = small * small * 0.25
    p = 3.900764297948849e-76 * u + 4.376657542298608e-73
    p = p * u + 4.6217503646673306e-70
    p = p * u + 4.5847763617499917e-67
    p = p * u + 4.263842016427493e-64
    p = p * u + 3.7095425542919185e-61
    p = p * u + 3.012148554085038e-58
    p = p * u + 2.2771843068882885e-55
    p = p * u + 1.5985833834355786e-52
    p = p * u + 1.0390791992331261e-49
    p = p * u + 6.234475195398757e-47
    p = p * u + 3.441430307860114e-44
    p = p * u + 1.7413637357772174e-41
    p = p * u + 8.045100459290744e-39
    p = p * u + 3.3789421929021126e-36
    p = p * u + 1.283998033302803e-33
    p = p * u + 4.391273273895586e-31
    p = p * u + 1.3437296218120491e-28
    p = p * u + 3.654944571328774e-26
    p = p * u + 8.771866971189057e-24
    p = p * u + 1.842092063949702e-21
    p = p * u + 3.352607556388458e-19
    p = p * u + 5.230067787965994e-17
    p = p * u + 6.903689480115112e-15
    p = p * u + 7.594058428126623e-13
    p = p * u + 6.834652585313961e-11
    p = p * u + 4.920949861426052e-09
    p = p * u + 2.755731922398589e-07
    p = p * u + 1.1574074074074073e-05
    p = p * u + 0.00034722222222222224
    p = p * u + 0.006944444444444444
    p = p * u + 0.08333333333333333
    p = p * u + 0.5
    p = p * u + 1.0
    far = _large_i(tl.where(a < float("inf"), tl.maximum(a, 16.0), 1e6), 1)
    value = tl.where(a < 16.0, p * small * 0.5, far)
    value = tl.where(a != a, a, value)
    return _like(tl.where(b < 0, -value, value), x)
