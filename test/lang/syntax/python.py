# What Python makes of values: each line was evaluated by Python, which test/lang/python.sh asks again.

# case: whole numbers, each operator with each sign (1)
A = [7 // 3, 7 // -3, 7 // 1, 7 // -8, -7 // 3, -7 // -3, -7 // 1, -7 // -8]
# ask: value A
# want: [2, -3, 7, -1, -3, 2, -7, 0]

# case: whole numbers, each operator with each sign (2)
A = [8 // 3, 8 // -3, 8 // 1, 8 // -8, -8 // 3, -8 // -3, -8 // 1, -8 // -8]
# ask: value A
# want: [2, -3, 8, -1, -3, 2, -8, 1]

# case: whole numbers, each operator with each sign (3)
A = [0 // 3, 0 // -3, 0 // 1, 0 // -8, 7 % 3, 7 % -3, 7 % 1, 7 % -8]
# ask: value A
# want: [0, 0, 0, 0, 1, -2, 0, -1]

# case: whole numbers, each operator with each sign (4)
A = [-7 % 3, -7 % -3, -7 % 1, -7 % -8, 8 % 3, 8 % -3, 8 % 1, 8 % -8]
# ask: value A
# want: [2, -1, 0, -7, 2, -1, 0, 0]

# case: whole numbers, each operator with each sign (5)
A = [-8 % 3, -8 % -3, -8 % 1, -8 % -8, 0 % 3, 0 % -3, 0 % 1, 0 % -8]
# ask: value A
# want: [1, -2, 0, 0, 0, 0, 0, 0]

# case: bits of whole numbers (1)
A = [12 & 10, 12 & -10, 12 & 0, 12 & -1, -12 & 10, -12 & -10, -12 & 0, -12 & -1]
# ask: value A
# want: [8, 4, 0, 12, 0, -12, 0, -12]

# case: bits of whole numbers (2)
A = [12 | 10, 12 | -10, 12 | 0, 12 | -1, -12 | 10, -12 | -10, -12 | 0, -12 | -1]
# ask: value A
# want: [14, -2, 12, -1, -2, -10, -12, -1]

# case: bits of whole numbers (3)
A = [12 ^ 10, 12 ^ -10, 12 ^ 0, 12 ^ -1, -12 ^ 10, -12 ^ -10, -12 ^ 0, -12 ^ -1]
# ask: value A
# want: [6, -6, 12, -13, -2, 2, -12, 11]

# case: bits of whole numbers (4)
A = [~0, ~-1, ~12, -12 >> 2, 12 >> 2, -1 >> 100, 1 << 0, 3 << 62]
# ask: value A
# want: [-1, 0, -13, -3, 3, -1, 1, 13835058055282163712]

# case: bits of whole numbers (5)
A = [-3 << 5, 0 << 3, 5 >> 0]
# ask: value A
# want: [-96, 0, 5]

# case: powers (1)
A = [2 ** 0, 0 ** 0, (-2) ** 3, (-2) ** 2, -2 ** 2, 2 ** -2, (-3) ** -1, 2.0 ** 3]
# ask: value A
# want: [1, 1, -8, 4, -4, 0.25, -0.3333333333333333, 8.0]

# case: powers (2)
A = [2 ** 0.5, 9 ** 0.5, (-1) ** 101, 10 ** 18, 2 ** 63, 1 ** -5, 2 ** 3 ** 2]
# ask: value A
# want: [1.4142135623730951, 3.0, -1, 1000000000000000000, 9223372036854775808, 1.0, 512]

# case: floats, each operator with each sign (1)
A = [7.5 // 2.0, 7.5 // -2.0, 7.5 // 0.7, -7.5 // 2.0, -7.5 // -2.0, -7.5 // 0.7, 6.0 // 2.0, 6.0 // -2.0]
# ask: value A
# want: [3.0, -4.0, 10.0, -4.0, 3.0, -11.0, 3.0, -3.0]

# case: floats, each operator with each sign (2)
A = [6.0 // 0.7, 0.0 // 2.0, 0.0 // -2.0, 0.0 // 0.7, 7.5 % 2.0, 7.5 % -2.0, 7.5 % 0.7, -7.5 % 2.0]
# ask: value A
# want: [8.0, 0.0, -0.0, 0.0, 1.5, -0.5, 0.5000000000000004, 0.5]

# case: floats, each operator with each sign (3)
A = [-7.5 % -2.0, -7.5 % 0.7, 6.0 % 2.0, 6.0 % -2.0, 6.0 % 0.7, 0.0 % 2.0, 0.0 % -2.0, 0.0 % 0.7]
# ask: value A
# want: [-1.5, 0.1999999999999995, 0.0, -0.0, 0.40000000000000036, 0.0, -0.0, 0.0]

# case: floats, each operator with each sign (4)
A = [7.5 / 2.0, 7.5 / -2.0, 7.5 / 0.7, -7.5 / 2.0, -7.5 / -2.0, -7.5 / 0.7, 6.0 / 2.0, 6.0 / -2.0]
# ask: value A
# want: [3.75, -3.75, 10.714285714285715, -3.75, 3.75, -10.714285714285715, 3.0, -3.0]

# case: floats, each operator with each sign (5)
A = [6.0 / 0.7, 0.0 / 2.0, 0.0 / -2.0, 0.0 / 0.7, 1e300 * 10, 0.1 + 0.2, 1 - 0.9, 3 // 0.5]
# ask: value A
# want: [8.571428571428571, 0.0, -0.0, 0.0, 1e+301, 0.30000000000000004, 0.09999999999999998, 6.0]

# case: floats, each operator with each sign (6)
A = [-0.0 + 0, 1e16 + 1, 5.0 // 1.0, 1.0 // 0.1, 0.3 % 0.1, -0.3 % 0.1, 7.0 // -2.0, 6.0 % -4.0]
# ask: value A
# want: [0.0, 1e+16, 5.0, 9.0, 0.09999999999999998, 2.7755575615628914e-17, -4.0, -2.0]

# case: floats, each operator with each sign (7)
A = [760962.6839501307 // -0.1, 1 / 3, 2 / 1]
# ask: value A
# want: [-7609627.0, 0.3333333333333333, 2.0]

# case: comparisons of mixed kinds (1)
A = [1 < 2, 2 < 2, 2 < 1, 1 < 1.0, 1.5 < 1, True < 1, False < 1, 1 <= 2]
# ask: value A
# want: [True, False, False, False, False, False, True, True]

# case: comparisons of mixed kinds (2)
A = [2 <= 2, 2 <= 1, 1 <= 1.0, 1.5 <= 1, True <= 1, False <= 1, 1 == 2, 2 == 2]
# ask: value A
# want: [True, False, True, False, True, True, False, True]

# case: comparisons of mixed kinds (3)
A = [2 == 1, 1 == 1.0, 1.5 == 1, True == 1, False == 1, 1 != 2, 2 != 2, 2 != 1]
# ask: value A
# want: [False, True, False, True, False, True, False, True]

# case: comparisons of mixed kinds (4)
A = [1 != 1.0, 1.5 != 1, True != 1, False != 1, 1 > 2, 2 > 2, 2 > 1, 1 > 1.0]
# ask: value A
# want: [False, True, False, True, False, False, True, False]

# case: comparisons of mixed kinds (5)
A = [1.5 > 1, True > 1, False > 1, 1 >= 2, 2 >= 2, 2 >= 1, 1 >= 1.0, 1.5 >= 1]
# ask: value A
# want: [True, False, False, False, True, True, True, True]

# case: comparisons of mixed kinds (6)
A = [True >= 1, False >= 1]
# ask: value A
# want: [True, False]

# case: comparisons of texts, tuples and lists (1)
A = ['a' < 'b', 'a' < 'A', 'abc' < 'abd', 'ab' < 'abc', 'abc' == 'abc', 'abc' != 'abd', '' < 'a', 'b' > 'abc']
# ask: value A
# want: [True, False, True, True, True, True, True, True]

# case: comparisons of texts, tuples and lists (2)
A = [(1, 2) < (1, 2, 0), (1, 2) == (1, 2), (1, 2) != (2, 1), (2,) > (1, 9), [1, 2] == [1, 2], [1] < [2], [] == [], [1, 2] <= [1, 2]]
# ask: value A
# want: [True, True, True, True, True, True, True, True]

# case: comparisons of texts, tuples and lists (3)
A = [(1, 2) == [1, 2], {'a': 1} == {'a': 1}, {'a': 1} == {'a': 2}, {'a': 1} != {'b': 1}, {'a': 1, 'b': 2} == {'b': 2, 'a': 1}, {'a': 1} == {'a': 1, 'b': 2}, {1, 2} == {2, 1}, {1} == {1, 2}]
# ask: value A
# want: [False, True, False, True, True, False, True, False]

# case: comparisons of texts, tuples and lists (4)
A = [{1} != {2}, None == None, None != 0, '1' == 1, () == (), 1 < 2 <= 2 < 3, 1 < 3 > 2, 3 > 2 > 2]
# ask: value A
# want: [True, True, True, False, True, True, True, False]

# case: comparisons of texts, tuples and lists (5)
A = [1 == 1.0 == True, 1 != 2 != 1]
# ask: value A
# want: [True, True]

# case: in, is, not, and, or (1)
A = [2 in (1, 2), 3 in (1, 2), 3 not in [1, 2], 2 not in [1, 2], 'a' in 'cab', '' in 'abc', 'ca' in 'abc', 'b' in {'a': 1, 'b': 2}]
# ask: value A
# want: [True, False, True, False, True, True, False, True]

# case: in, is, not, and, or (2)
A = [1 in {'a': 1}, 1 in {1, 2}, 3 in {1, 2}, 2 in range(0, 9, 2), 3 in range(0, 9, 2), None is None, None is not None, 1 is not None]
# ask: value A
# want: [False, True, False, True, False, True, False, True]

# case: in, is, not, and, or (3)
A = [not 1, not 0, not '', not 'a', not [], not [0], not (), not {}]
# ask: value A
# want: [False, True, True, False, True, False, True, True]

# case: in, is, not, and, or (4)
A = [not None, not 0.0, not 0.5, 0 and 1, 1 and 2, 0 or 3, 4 or 5, '' or 'x']
# ask: value A
# want: [True, True, False, 0, 2, 3, 4, 'x']

# case: in, is, not, and, or (5)
A = [[] or 0, 1 and 0 or 2, not (1 and 0), 1 if 0 else 2, 1 if 'a' else 2, 1 if [] else 2 if 1 else 3]
# ask: value A
# want: [0, 2, True, 2, 1, 2]

# case: indices and slices of texts (1)
A = ['hello, world'[0], 'hello, world'[-1], 'hello, world'[5], 'hello, world'[-12], 'hello, world'[11], 'hello, world'[:], 'hello, world'[:5], 'hello, world'[7:]]
# ask: value A
# want: ['h', 'd', ',', 'h', 'd', 'hello, world', 'hello', 'world']

# case: indices and slices of texts (2)
A = ['hello, world'[-5:], 'hello, world'[:-5], 'hello, world'[2:5], 'hello, world'[5:2], 'hello, world'[-100:3], 'hello, world'[3:100], 'hello, world'[100:], 'hello, world'[:-100]]
# ask: value A
# want: ['world', 'hello, ', 'llo', '', 'hel', 'lo, world', '', '']

# case: indices and slices of texts (3)
A = ['hello, world'[0:0]]
# ask: value A
# want: ['']

# case: indices and slices of tuples and lists (1)
A = [(10, 20, 30, 40, 50)[0], (10, 20, 30, 40, 50)[-1], (10, 20, 30, 40, 50)[4], (10, 20, 30, 40, 50)[-5], (10, 20, 30, 40, 50)[:], (10, 20, 30, 40, 50)[:2], (10, 20, 30, 40, 50)[2:], (10, 20, 30, 40, 50)[-2:]]
# ask: value A
# want: [10, 50, 50, 10, (10, 20, 30, 40, 50), (10, 20), (30, 40, 50), (40, 50)]

# case: indices and slices of tuples and lists (2)
A = [(10, 20, 30, 40, 50)[:-2], (10, 20, 30, 40, 50)[1:4], (10, 20, 30, 40, 50)[4:1], (10, 20, 30, 40, 50)[-4:-1]]
# ask: value A
# want: [(10, 20, 30), (20, 30, 40), (), (20, 30, 40)]

# case: indices and slices of tuples and lists (3)
A = [(10, 20, 30, 40, 50)[10:], [1, 2, 3, 4][:2], [1, 2, 3, 4][1:], [1, 2, 3, 4][-1], [1, 2, 3, 4][2:2]]
# ask: value A
# want: [(), [1, 2], [2, 3, 4], 4, []]

# case: indices and slices of tuples and lists (4)
A = [[1, 2, 3, 4][:-1]]
# ask: value A
# want: [[1, 2, 3]]

# case: sequences that grow (1)
A = [(1,) + (2, 3), () + (), [1] + [2], (0,) * 3, [1, 2] * 2, 3 * (1,), 2 * [0], [1] * 0]
# ask: value A
# want: [(1, 2, 3), (), [1, 2], (0, 0, 0), [1, 2, 1, 2], (1, 1, 1), [0, 0], []]

# case: sequences that grow (2)
A = [(1,) * -1, 'ab' * 3, 3 * 'x', 'a' * 0, 'a' + 'b' + 'c', 'a' 'b', [*(1, 2), 3], (*[1], *[2, 3])]
# ask: value A
# want: [(), 'ababab', 'xxx', '', 'abc', 'ab', [1, 2, 3], (1, 2, 3)]

# case: sequences that grow (3)
A = [[*range(3)], {**{'a': 1}, 'b': 2}, {'a': 1} | {'a': 2, 'b': 3}]
# ask: value A
# want: [[0, 1, 2], {'a': 1, 'b': 2}, {'a': 2, 'b': 3}]

# case: sets (1)
A = [len({1, 1, 2}), {1, 2} | {2, 3} == {1, 2, 3}, {1, 2} & {2, 3} == {2}, {1, 2} - {2, 3} == {1}, {1, 2} ^ {2, 3} == {1, 3}, {1} | set() == {1}, {1} & {2} == set(), set([1, 2, 2]) == {1, 2}]
# ask: value A
# want: [2, True, True, True, True, True, True, True]

# case: sets (2)
A = [len(set()), {1, 2} == {1, 2, 2}, sorted({3, 1, 2}), len({1} - {1}), 1 in {1} & {1}, len({1, 2, 3} ^ {3, 4}), len({1, 2} | {2, 3, 4})]
# ask: value A
# want: [0, True, [1, 2, 3], 0, True, 3, 4]

# case: methods of texts (1)
A = ['a,b,,c'.split(','), ' a  b '.split(), 'abc'.split(','), ''.split(), ''.split(','), 'a b'.split(' '), 'a  b'.split(' '), 'ab--cd--'.split('--')]
# ask: value A
# want: [['a', 'b', '', 'c'], ['a', 'b'], ['abc'], [], [''], ['a', 'b'], ['a', '', 'b'], ['ab', 'cd', '']]

# case: methods of texts (2)
A = ['  a b '.strip(), '  a '.lstrip(), '  a '.rstrip(), 'Hello'.lower(), 'Hello'.upper(), 'hello'.startswith('he')]
# ask: value A
# want: ['a b', 'a ', '  a', 'hello', 'HELLO', True]

# case: methods of texts (3)
A = ['hello'.startswith('lo'), 'hello'.endswith('lo'), 'hello'.endswith('he'), 'hello'.startswith(''), 'a-b'.replace('-', '+'), 'aaa'.replace('a', 'bb'), 'abc'.replace('x', 'y'), 'aaa'.replace('aa', 'b')]
# ask: value A
# want: [False, True, False, True, 'a+b', 'bbbbbb', 'abc', 'ba']

# case: methods of texts (4)
A = [','.join(['a', 'b', 'c']), ''.join(('x', 'y')), ','.join([]), '-'.join(['a'])]
# ask: value A
# want: ['a,b,c', 'xy', '', 'a']

# case: methods of texts (5)
A = ['{} and {}'.format(1, 'a'), '{1}{0}'.format('a', 'b'), '{x}'.format(x=3), '{{}}'.format(), len(''), 'a.b'.split('.')[1]]
# ask: value A
# want: ['1 and a', 'ba', '3', '{}', 0, 'b']

# case: methods of texts (6)
A = ['fp16'.startswith('fp'), int('fp16'[2:])]
# ask: value A
# want: [True, 16]

# case: dicts (1)
A = [{'a': 1}['a'], {'a': 1, 'b': 2}['b'], {1: 'x', (1, 2): 'y'}[(1, 2)], {'a': 1}.get('a'), {'a': 1}.get('b'), {'a': 1}.get('b', 7), list({'a': 1, 'b': 2}.keys()), list({'a': 1, 'b': 2}.values())]
# ask: value A
# want: [1, 2, 'y', 1, None, 7, ['a', 'b'], [1, 2]]

# case: dicts (2)
A = [list({'a': 1, 'b': 2}.items()), len({'a': 1}), {'a': 1, 'a': 2}, {k: v for k, v in [('a', 1), ('b', 2)]}, dict(a=1), {True: 'x'}[1], sum({'a': 1, 'b': 2}.values())]
# ask: value A
# want: [[('a', 1), ('b', 2)], 1, {'a': 2}, {'a': 1, 'b': 2}, {'a': 1}, 'x', 3]

# case: comprehensions and ranges (1)
A = [[i for i in range(5)], [i for i in range(5, 0, -2)], [i for i in range(0)], [i for i in range(3, 3)], [i for i in range(-3, 4, 3)], [i for i in range(2, -3, -1)]]
# ask: value A
# want: [[0, 1, 2, 3, 4], [5, 3, 1], [], [], [-3, 0, 3], [2, 1, 0, -1, -2]]

# case: comprehensions and ranges (2)
A = [[i * j for i in range(3) for j in range(i)], [c for c in 'abc'], [c + '!' for c in 'ab' if c != 'a'], {i: i * i for i in range(3)}, sum(i for i in range(10) if i % 3 == 0), [x for x, in [(1,), (2,)]]]
# ask: value A
# want: [[0, 0, 2], ['a', 'b', 'c'], ['b!'], {0: 0, 1: 1, 2: 4}, 18, [1, 2]]

# case: comprehensions and ranges (3)
A = [[a + b for a, b in zip((1, 2), (3, 4))], [[j for j in range(i)] for i in range(3)], list(range(1, 10, 4)), tuple(range(2)), [i for i in (1, 2, 3) if i > 1 if i < 3], max(i * 2 for i in range(4))]
# ask: value A
# want: [[4, 6], [[], [0], [0, 1]], [1, 5, 9], (0, 1), [2], 6]

# case: functions of Python (1)
A = [min(2, 1, 3), max(2, 1, 3), min([4, 3]), max((4, 5)), min(1, 1.5), max(-1, -2.5), abs(-3), abs(3)]
# ask: value A
# want: [1, 3, 3, 5, 1, -1, 3, 3]

# case: functions of Python (2)
A = [abs(-2.5), sum([]), sum([1, 2], 10), len((1, 2, 3)), int(-3.9), int(3.9), int('12'), int('-7')]
# ask: value A
# want: [2.5, 0, 13, 3, -3, 3, 12, -7]

# case: functions of Python (3)
A = [int(True), float(3), float('2.5'), bool(0), bool(-1), bool(''), bool('a'), bool([])]
# ask: value A
# want: [1, 3.0, 2.5, False, True, False, True, False]

# case: functions of Python (4)
A = [str(1.5), str(True), str(None), list('ab'), tuple([1, 2]), sorted([3, 1, 2]), sorted((2, 1)), list(reversed([1, 2, 3]))]
# ask: value A
# want: ['1.5', 'True', 'None', ['a', 'b'], (1, 2), [1, 2, 3], [1, 2], [3, 2, 1]]

# case: functions of Python (5)
A = [any([]), all([]), any([0, 1]), all([1, 1]), list(zip([1, 2], 'ab')), list(zip([1, 2, 3], [4])), list(enumerate('ab')), list(map(lambda x: x + 1, [1, 2]))]
# ask: value A
# want: [False, True, True, True, [(1, 'a'), (2, 'b')], [(1, 4)], [(0, 'a'), (1, 'b')], [2, 3]]

# case: functions of Python (6)
A = [round(2.5), round(3.5), round(-2.5), isinstance(1, int), isinstance(1.0, int)]
# ask: value A
# want: [2, 4, -2, True, False]

# case: functions of Python (7)
A = [isinstance('a', str), isinstance(1, (str, int)), isinstance((1,), tuple)]
# ask: value A
# want: [True, True, True]

# case: numbers as they are written (1)
A = [0xff, 0XFF, 0o17, 0b1011, 1_000_000, 0x_ff, 1e3, 1.5e-3]
# ask: value A
# want: [255, 255, 15, 11, 1000000, 255, 1000.0, 0.0015]

# case: numbers as they are written (2)
A = [1E5, .5, 5., 0x7fffffffffffffff, 0xffffffffffffffff, 0x1_0000_0000_0000_0000, 0o7_777_777_777_777_777_777_777, 0b10000000000000000000000000000000000000000000000000000000000000000000000]
# ask: value A
# want: [100000.0, 0.5, 5.0, 9223372036854775807, 18446744073709551615, 18446744073709551616, 73786976294838206463, 1180591620717411303424]

# case: numbers as they are written (3)
A = [18446744073709551616, 1_8446744073709551616, 00, 0_0, 9223372036854775808, -9223372036854775808]
# ask: value A
# want: [18446744073709551616, 18446744073709551616, 0, 0, 9223372036854775808, -9223372036854775808]

# case: formatted texts (1)
A = [f'{1}{2}', f'{"a"}-{1 + 2}', f'{{}}', f'a{{b}}{1}', f'{1.5}', f'{True}{None}', f'', f'x']
# ask: value A
# want: ['12', 'a-3', '{}', 'a{b}1', '1.5', 'TrueNone', '', 'x']

# case: formatted texts (2)
A = [f'{(1, 2)}', f'{[1]}', 'a' f'{1}' 'b']
# ask: value A
# want: ['(1, 2)', '[1]', 'a1b']

# case: escapes in texts (1)
A = ['\n\t\\\'', '\x41\u0042', r'\n', '\101', 'a"b', "a'b", '\0', len('\n')]
# ask: value A
# want: ["\n\t\\'", 'AB', '\\n', 'A', 'a"b', "a'b", '\x00', 1]

# case: escapes in texts (2)
A = [len(r'\n')]
# ask: value A
# want: [2]

# case: loops, else, break and continue
def f(n):
    out = []
    for i in range(n):
        if i == 2:
            continue
        if i == 5:
            break
        out.append(i)
    else:
        out.append('end')
    while n > 0:
        n -= 3
        if n == 1:
            break
    else:
        out.append(n)
    return out
A = f(3), f(4), f(9), f(0)
# ask: value A
# want: ([0, 1, 'end', 0], [0, 1, 3, 'end'], [0, 1, 3, 4, 0], ['end', 0])

# case: arguments by place, by name, by default
def g(a, b=2, *, c=3):
    return a, b, c
def h(a, /, b, *, c):
    return a * 100 + b * 10 + c
A = g(1), g(1, 5), g(1, c=9), g(a=1), g(1, b=4, c=8), h(1, 2, c=3), h(1, b=2, c=3), g(*[1, 2]), g(c=4, b=3, a=2)
# ask: value A
# want: ((1, 2, 3), (1, 5, 3), (1, 2, 9), (1, 2, 3), (1, 4, 8), 123, 123, (1, 2, 3), (2, 3, 4))

# case: functions in functions see what is around them
def outer(n):
    k = n * 2
    def inner(m):
        return m + k
    return inner(n) + (lambda z: z * k)(3)
A = outer(1), outer(5)
# ask: value A
# want: (9, 45)

# case: assignments of many kinds
a = b = 3
c, d = 4, 5
[e, f] = 6, 7
g, h = 1, 2
i, j = [8, 9]
k, (l, m) = 1, (2, 3)
a += 2
b -= 1
c *= 3
d //= 2
n = 17
n %= 5
o = 1
o <<= 4
p = 6
p |= 9
q = 6
q &= 3
r = 6
r ^= 5
s = 64
s >>= 3
t = 2
t **= 5
u = 7
u /= 2
A = a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u
# ask: value A
# want: (5, 2, 12, 2, 6, 7, 1, 2, 8, 9, 1, 2, 3, 2, 16, 15, 2, 3, 8, 32, 3.5)

# case: recursion, branches and early returns
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
def sign(x):
    if x > 0:
        return 'plus'
    elif x < 0:
        return 'minus'
    else:
        return 'zero'
def nothing():
    pass
A = fib(10), sign(3), sign(-3), sign(0), nothing()
# ask: value A
# want: (55, 'plus', 'minus', 'zero', None)

# case: lists and dicts that change
def f():
    a = [1]
    a.append(2)
    a.extend([3, 4])
    a[0] = 9
    a += [5]
    d = {}
    d['x'] = 1
    d['y'] = 2
    d['x'] += 10
    d.update({'z': 3})
    for k in range(3):
        d[k] = k * k
    b = a
    b.append(6)
    return a, d, len(a)
A = f()
# ask: value A
# want: ([9, 2, 3, 4, 5, 6], {'x': 11, 'y': 2, 'z': 3, 0: 0, 1: 1, 2: 4}, 6)

# case: a line may have tabs and pages between its words
A	=	1	+		2
B = 4
# ask: value A
# want: 3

# case: a number of lines in brackets
A = (1,
     2,   # a comment
     3 +
     4,
     [5,
      6])
# ask: value A
# want: (1, 2, 7, [5, 6])

# case: a line goes on after a backslash
A = 1 + \
    2
# ask: value A
# want: 3

# case: several statements on one line
a = 1; b = 2; A = a + b
# ask: value A
# want: 3
