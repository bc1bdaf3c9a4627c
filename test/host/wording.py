# SPDX-License-Identifier: Apache-2.0
# Arithmetic of whole and floating numbers; each error's words.
vals = [-7, -3, -2, -1, 1, 2, 3, 7, 10]
for a in vals:
    print([(a // b, a % b, divmod(a, b), a / b) for b in vals])
fv = [-7.5, -2.0, -0.5, 0.5, 2.0, 3.25, 7.0]
for a in fv + [0.0, -0.0]:
    print([(a // b, a % b, divmod(a, b)) for b in fv])
print(2**10, 2**-1, (-2)**3, -2**2, 0**0, 2**0.5, (-8)**2, 10**20, 2**100, -(2**100), 10**30 // 7, 10**30 % 7, (10**30) * 3, -10**30 // 7, -10**30 % 7, (1 << 100) >> 98, ~5, -1 >> 1, 5 & -2, 5 | -8, 5 ^ -1, 7 & 3 | 8 ^ 1)
print(1e308 * 10, -1e308 * 10, 0.1 + 0.2, 1 / 3, 2 / 3, 1e16 + 1, 3.0 == 3, 3.0 is 3 if False else '', 1 == True, 0.1 + 0.2 == 0.3, 10 ** -2, 7 // 2.0, -7 // 2.0, 7 % -2.0, 1e3, 1_000, 0x_ff, 0b1010, 0o17, 1.5e-3, .5, 5., 1e0)
nan, inf = float('nan'), float('inf')
print(nan == nan, nan != nan, nan < 1, inf > 1e308, inf - inf, inf * 0, max(nan, 1), max(1, nan), min(nan, 1), sorted([3, 1, 2.5]), nan in [nan], [nan] == [nan], inf == inf, -inf < inf, int(1e20), int(1e18), float(2**60), float(10**22))
for f in (lambda: 1 / 0, lambda: 1 // 0, lambda: 1 % 0, lambda: 1.0 / 0, lambda: 1.0 // 0, lambda: 1.0 % 0, lambda: divmod(1, 0), lambda: 0 ** -1, lambda: 0.0 ** -1, lambda: int(inf), lambda: int(nan), lambda: round(inf), lambda: 1 << -1, lambda: 2.0 << 1, lambda: 10.0 ** 400, lambda: float(10**400) if False else 0, lambda: 1 + None, lambda: None + 1, lambda: [] + 1, lambda: [] + (), lambda: -'a', lambda: ~1.5, lambda: 1 < 'a', lambda: [] < 1, lambda: None < None, lambda: {} < {}, lambda: 3(), lambda: None.x, lambda: (1)[0], lambda: len(3), lambda: iter(3), lambda: [][0], lambda: {}['a'], lambda: abs('a'), lambda: sum(['a']), lambda: max(1, 'a'), lambda: int([]), lambda: int(None), lambda: float(None), lambda: range(1.0), lambda: [1] * 1.5, lambda: round('a'), lambda: hash([]), lambda: {[]: 1}, lambda: {1, []}, lambda: sorted([1, 'a']), lambda: next([]), lambda: isinstance(1, 2), lambda: chr('a'), lambda: bin(1.5), lambda: divmod('a', 1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
import math
print(math.sqrt(2), math.floor(-1.5), math.ceil(-1.5), math.trunc(-1.5), math.gcd(12, 18), math.isclose(1, 1 + 1e-10), math.log(8, 2), math.log2(8), math.log10(1000), math.exp(1), math.pi, math.e, math.inf, math.nan, math.atan2(1, -1), math.degrees(math.pi), math.factorial(20), math.comb(10, 3), math.perm(5, 2), math.prod([1, 2, 3]), math.isqrt(17), math.copysign(1, -0.0), math.fmod(-7, 3), math.modf(1.5), math.frexp(8.0), math.ldexp(0.5, 4), math.erf(0.5), math.tanh(1), math.isnan(nan), math.isinf(inf), math.isfinite(1), math.remainder(7, 3), math.tau, math.log1p(1e-10), math.expm1(1e-10))
for f in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.log(-1), lambda: math.factorial(-1), lambda: math.exp(1000), lambda: math.floor(inf), lambda: math.floor(nan), lambda: math.acos(2), lambda: math.pow(0, -1), lambda: math.gcd(1.5), lambda: math.sqrt('a'), lambda: math.factorial(1.5)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print((5).bit_length(), (-1).bit_length(), (1.5).is_integer(), (2.0).is_integer(), (3).real, (3).numerator, int.bit_count(7), float.fromhex('0x1p3') if False else '')
print(round(0.5), round(1.5), round(-0.5), round(2.5, 0), round(1.005, 2), round(1e20), round(123.456, -1), round(-1.5), round(5, -1), round(15, -1), round(25, -1), round(2.0), round(True), round(1.25, 1), round(1.35, 1), round(1e-10, 5), round(5e15 + 0.5))
print(True + True, True * 3, -True, ~True, True & False, True | 1, True ^ True, not True, bool([]), int(True), str(True), True == 1, True is True, f'{True:d}', True // 2, True / 2, sum([True, True]))
i = 7; i //= 2; print(i); i **= 3; print(i); i <<= 2; i |= 1; i ^= 3; i &= 0xff; i >>= 1; i %= 7; i -= 1; i *= -2; print(i); f = 1; f /= 2; print(f)
s = 'Hello, World'
for m in 'upper lower title swapcase capitalize casefold strip isalpha isdigit isalnum isspace isupper islower istitle isidentifier isnumeric isdecimal isprintable isascii'.split():
    print(m, [getattr(t, m)() for t in (s, '', 'abc', 'ABC', '123', ' \t', 'a1', "they're bill's", 'Ab Cd', '_x', 'aB cD')])
print(s.split(), s.split(','), s.split('o', 1), s.rsplit('o', 1), 'a,b,,c'.split(','), '  a  b '.split(), '  a  b '.split(' '), 'a b c'.split(None, 1), ''.split(), ''.split(','), 'a\nb\r\nc\rd'.splitlines(), 'a\nb'.splitlines(True))
print(s.partition(', '), s.rpartition('o'), 'x'.partition('y'), 'x'.rpartition('y'))
print(s.find('o'), s.rfind('o'), s.find('z'), s.index('o'), s.count('l'), s.count(''), s.find('o', 5), s.find('', 3), s.find('o', -5, -1), 'aaaa'.count('aa'))
print(s.replace('l', 'L'), s.replace('l', 'L', 1), s.replace('', '-'), 'abc'.replace('abc', ''), s.startswith('He'), s.startswith(('x', 'H')), s.endswith('ld'), s.startswith('W', 7), s.endswith(('a', 'd'), 2))
print('  x '.strip() + '|', 'xxaxx'.strip('x'), 'abcba'.lstrip('ab'), 'abcba'.rstrip('ab'), 'a'.center(5, '*'), 'ab'.center(5), 'abc'.center(6), 'a'.ljust(3, '.'), 'a'.rjust(3), '42'.zfill(5), '-42'.zfill(5), '+1'.zfill(1), 'x'.zfill(3))
print('abc'.removeprefix('a'), 'abc'.removesuffix('bc'), 'a\tb'.expandtabs(4), '\ta'.expandtabs())
print('-'.join(['a', 'b']), ''.join(reversed('abc')), 'abc' * 2, 3 * 'a', 'a' * -1, 'a' + 'b', 'abc' < 'abd', 'Z' < 'a', 'a' in 'abc', '' in 'abc', 'abc' == "abc", 'a' < 'aa')
print(repr('it\'s'), repr('"'), repr('\'"'), repr('\n\t\\\r\0\x7f\x1b'), repr('é日😀'), repr('\u200b\ud7ff'), repr('\xa0\xad'), ascii if False else '', r'\n', b'' if False else '', 'a' 'b', '''x
y''', "\x41\u0042\103\N{BULLET}" if False else "\x41\u0042\103")
print(len('é日😀'), 'é日😀'[1], 'é日😀'[::-1], [ord(c) for c in 'é日😀'])
print(min('hello'), max('hello'), sorted('hello'), list(map(str.upper, 'ab')), str.join(',', 'ab'), 'a,b'.split(sep=','), 'a-b-c'.rsplit('-', maxsplit=1))
for f in (lambda: 'a' + 1, lambda: 1 + 'a', lambda: 'a' * 'b', lambda: 'a' - 'b', lambda: 'abc'.index('z'), lambda: ''.join([1]), lambda: 'a'.join(3), lambda: 'a' < 1, lambda: 'a'['b'], lambda: 1 in 'abc', lambda: 'a'.split(''), lambda: int('a'), lambda: 'a'.foo, lambda: ord('ab'), lambda: chr(-1), lambda: 'a'.center(3, 'ab'), lambda: len(5), lambda: 'a'.startswith(1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
x = 'abc'
try: x[0] = 'd'
except TypeError as e: print(e)
try: del x[0]
except TypeError as e: print(e)
print('a\\b', 'tab\there', 'nul' + chr(0) + 'x' == 'nul\0x', str(True), str(None), 'ab' 'cd' f'{1}' 'ef', 'A'.isupper() and 'yes')
