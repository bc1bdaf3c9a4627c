"""cuda_promote: what C++ makes of two operands, each type with each: a kernel for each operator, and the
same text for g++. Each row gives the value and the type that an overload sees.

    cuda_promote.py FILE.cu FILE.cc           writes both, prints kernels and their arguments
    cuda_promote.py same FILE.npy NAME WANT   holds a kernel's output against g++'s lines"""
import struct
import sys

TYPES = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
         "unsigned long", "long long", "unsigned long long", "float", "double"]
WHOLE = TYPES[:12]
# Nothing that C++ leaves open: small values, shifts below the narrowest width, no division by 0.
OPERATORS = {"add": ("+", TYPES), "sub": ("-", TYPES), "mul": ("*", TYPES), "div": ("/", TYPES), "less": ("<", TYPES),
             "equal": ("==", TYPES), "rem": ("%", WHOLE), "and": ("&", WHOLE), "xor": ("^", WHOLE), "left": ("<<", WHOLE),
             "right": (">>", WHOLE)}
NAMES = {t: t.replace(" ", "_") for t in TYPES}
VALUES = {"bool": 1, "char": -3, "signed char": -100, "unsigned char": 251, "short": -30000, "unsigned short": 65529, "int": -7,
          "unsigned": 4294967289, "long": -5, "unsigned long": "18446744073709551607ul", "long long": -11,
          "unsigned long long": "18446744073709551601ull", "float": -2.5, "double": 3.75}
HEAD = "".join(f"__device__ int type_of({t}) {{ return {i}; }}\n" for i, t in enumerate(TYPES)) + """
__device__ unsigned long long image(double x) {
    return (unsigned long long)(long long)(fabs(x) < 1e12 ? x * 1024 : x / 4294967296.0);
}
__device__ unsigned long long image(float x) { return image((double)x); }
template <typename T> __device__ unsigned long long image(T x) { return (unsigned long long)x; }
"""


def rows(texts):
    return "".join(f"    out[{2 * i}] = image({t}), out[{2 * i + 1}] = type_of({t});\n" for i, t in enumerate(texts))


def kernels():
    """(name, parameters, values, expressions)"""
    for name, (sign, types) in OPERATORS.items():
        pairs = [(a, b) for a in types for b in types]
        right = "(b_{} & 3)" if sign in ("<<", ">>") else "b_{}"
        left = "(a_{} & 15)" if sign == "<<" else "a_{}"
        texts = [f"{left.format(NAMES[a])} {sign} {right.format(NAMES[b])}" for a, b in pairs]
        yield name, types, texts
    yield "choice", TYPES, [f"(a_int < 0 ? a_{NAMES[a]} : b_{NAMES[b]})" for a in TYPES for b in TYPES]
    yield "other", TYPES, [f"(a_int > 0 ? a_{NAMES[a]} : b_{NAMES[b]})" for a in TYPES for b in TYPES]
    signed_whole = [t for t in TYPES if "unsigned" not in t and t != "bool" and t not in ("float", "double")]
    yield "cast", TYPES, [f"({b})a_{NAMES[a]}" for a in WHOLE for b in TYPES] + \
        [f"({b})a_{NAMES[a]}" for a in ("float", "double") for b in signed_whole + ["bool", "float", "double"]]
    yield "alone", TYPES, [f"{sign}a_{NAMES[t]}" for sign in "+-!" for t in TYPES] + [f"~a_{NAMES[t]}" for t in WHOLE[1:]]
    yield "assigned", TYPES, [f"(v_{NAMES[a]} {sign}= b_{NAMES[b]})" for sign in "+-*" for a in TYPES[1:6] for b in WHOLE]


def main():
    device, host = HEAD, []
    for name, types, texts in kernels():
        parameters = ", ".join(f"{t} {side}_{NAMES[t]}" for side in "ab" for t in TYPES)
        copies = "".join(f"    {t} v_{NAMES[t]} = a_{NAMES[t]};\n" for t in TYPES)
        device += f"__global__ void k_{name}(unsigned long long *out, {parameters}) {{\n{copies}{rows(texts)}}}\n"
        host.append((name, len(texts)))
    with open(sys.argv[1], "w") as file:
        file.write(device)
    values = ", ".join(str(VALUES[t]) for side in "ab" for t in TYPES)
    with open(sys.argv[2], "w") as file:
        file.write("#include <cmath>\n#include <cstdio>\n#define __device__ static\n#define __global__ static\n" + device + "int main() {\n")
        for name, count in host:
            file.write(f"    {{\n        static unsigned long long out[{2 * count}];\n        k_{name}(out, {values});\n"
                       f'        printf("{name}");\n'
                       f'        for (int i = 0; i < {2 * count}; i++) printf(" %llu", out[i]);\n        printf("\\n");\n    }}\n')
        file.write("}\n")
    for name, count in host:
        arguments = [f"-a {side}_{NAMES[t]}={str(VALUES[t]).rstrip('ul')}" for side in "ab" for t in TYPES]
        print(name, 2 * count, " ".join(arguments))


def same(path, name, want):
    with open(path, "rb") as file:
        text = file.read()
    start = 10 + struct.unpack("<H", text[8:10])[0]
    got = struct.unpack(f"<{(len(text) - start) // 8}Q", text[start:])
    with open(want) as file:
        wanted = next([int(w) for w in line.split()[1:]] for line in file if line.split()[0] == name)
    texts = next(texts for kernel, _, texts in kernels() if kernel == name)
    wrong = [i for i in range(len(wanted)) if i >= len(got) or got[i] != wanted[i]]
    if wrong or len(got) != len(wanted):
        at = wrong[0] if wrong else 0
        what = "type" if at % 2 else "value"
        sys.exit(f"{len(wrong)} differ, the first: the {what} of {texts[at // 2]}: {got[at]}, g++ has {wanted[at]}")


if sys.argv[1] == "same":
    same(*sys.argv[2:])
else:
    main()
