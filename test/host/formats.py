# SPDX-License-Identifier: Apache-2.0
# Each format of whole numbers, floating ones and texts.
import math
vals = [0, 1, -1, 42, -12345, 10**15, 2**70, True]
specs = ['', 'd', '5', '<8', '>8', '^8', '=+8', '*^9', '+', ' ', '08', '+08d', ',', '_', 'x', 'X', '#x', '#o', 'b', '#010b', '_x', ',d', 'e', '.2f', 'g', '%', 'n', '10,', '=8', '-5']
for v in vals:
    for s in specs:
        try: print(f'[{v:{s}}]', end='')
        except Exception as e: print(f'<{s} {type(e).__name__} {e}>', end='')
    print()
fl = [0.0, -0.0, 1.0, 1.5, -2.675, 1e10, 1e16, 1e17, 1.23456789e-5, 1e-4, 123456.789, 1e100, 5e-324, math.inf, -math.inf, math.nan, 0.1 + 0.2, 1/3, 2.5, 1e22, 1e23, 100.0]
fs = ['', '.2f', '.0f', '#.0f', '.3e', 'E', 'g', '.3g', '#.3g', '.10g', '%', '.1%', '10.3f', '<10.1f', '+.2f', ' .2f', '010.2f', ',.2f', '_.1f', '^12', '.3', '10', '=+10.1f', 'n', 'G', '.15g', 'f', 'e', '+', 'F', '.17g', '*>12.2e', ',', '012,.2f', 'z.1f']
for v in fl:
    for s in fs:
        try: print(f'[{v:{s}}]', end='')
        except Exception as e: print(f'<{s} {type(e).__name__} {e}>', end='')
    print(); print(v, repr(v), str(v))
for v in ['', 'abc', 'é日']:
    for s in ['', 's', '5', '<5', '>5', '^6', '*^7', '.2', '5.1', '10s', '=5', 'd', '+', ',', '05', '_<4']:
        try: print(f'[{v:{s}}]', end='')
        except Exception as e: print(f'<{s} {type(e).__name__} {e}>', end='')
    print()
x = 3; name = 'n'
print(f'{x=} {x = } {x!r:>5} {name!r} {name!s} {x+1=} {x:>{x+2}} {{}} {x!a}', f"{'a' if x else 'b'}", f'{x:{"0"}{5}}', f'{[i for i in range(3)]}', f'{ {1:2}[1] }', f'{(lambda q: q)(2)}')
print('%d %5d %-5d| %05d %+d %x %X %#x %o %s %r %c %c %% %5.2f %e %g %G %10s %-10s| %.2s %i %u' % (1, 2, 3, 4, 5, 255, 255, 255, 8, 'a', 'b', 'c', 100, 1.234, 1234.5, 1e-5, 1e20, 'r', 'l', 'abc', 7, 8))
print('%(a)s %(b)05.1f' % {'a': 1, 'b': 2.25}, '%s' % (1,), '%s' % [1, 2], '%s %s' % ('a', None), '%5s' % None, '%d' % 3.9, '%s' % 1.0)
print('{} {} {0}'.replace(' {0}', '').format(1, 2), '{1} {0}'.format('a', 'b'), '{x} {y:>4}'.format(x=1, y=2), '{!r:>6}'.format('a'), '{{}}'.format(), '{:,}'.format(1234567.891), '{:%}'.format(0.5))
for bad, args in [('{} {}', (1,)), ('{0} {}', (1, 2)), ('{x}', ()), ('{:d}', ('a',)), ('{:d}', (1.5,)), ('{:s}', (1,)), ('}', ()), ('{:5.2d}', (3,)), ('{:q}', (3,)), ('{:,s}', ('a',)), ('{:.2d}', (1,)), ('{:x}', (1.0,))]:
    try: print(bad.format(*args))
    except Exception as e: print(type(e).__name__, e)
for bad, args in [('%d', 'a'), ('%d %d', (1,)), ('%d', (1, 2)), ('%c', 'ab'), ('%x', 1.5), ('%(a)s', 1), ('%s', ())]:
    try: print(bad % args)
    except Exception as e: print(type(e).__name__, e)
for v in [1e15, 1e16, 123456789012345680.0, 1e-5, 0.0001, 0.00001234, 1.0e5, 2.0**53, 2.0**63, 4.9e-324, 1.7976931348623157e308, 9007199254740993.0, 0.1, 100000000000000000000.0]: print(v, f'{v}', f'{v!r}', str(v), '%s' % v, [v], (v,), {v: v})
print(format(3, 'b'), format(2.5), format('a', '>3'), format(None), f'{None!s:>6}', f'{[1]!s:>6}')
for o in (None, [1], (1,), {1: 2}):
    try: print(f'{o:>6}')
    except TypeError as e: print(e)
