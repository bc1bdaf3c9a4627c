# SPDX-License-Identifier: Apache-2.0
"""Launches on cuda, on a driver without a GPU (test/mock): which addresses, numbers and stream it is
given, for __cuda_array_interface__, for what looks like torch's tensors and for DLPack. The mock's
memory is the host's, and a kernel whose name ends with _record writes down what it got."""
import ctypes
import os

from harness import check, refuses, run, same, write

MOCK = os.path.join(os.environ.get("BUILD", "build"), "test/mock/libcuda_mock.so")
os.environ["TERN_CUDA_DRIVER"] = os.path.abspath(MOCK)

import tern  # noqa: E402

PATH = write("record.py", '''
import triton
import triton.language as tl


@triton.jit
def saw_record(out, other, n, f, BLOCK: tl.constexpr):
    tl.store(out + n, tl.load(other + BLOCK) + f)
''')


class Record(ctypes.Structure):  # MockRecord of test/mock/mock.h
    _fields_ = [("launches", ctypes.c_uint32), ("grid", ctypes.c_uint32 * 3),
                ("block", ctypes.c_uint32), ("shared_bytes", ctypes.c_uint32),
                ("num_params", ctypes.c_uint32), ("params", ctypes.c_uint64 * 24)]


class Array:
    """Of the GPU, as CuPy's say it."""

    def __init__(self, address, typestr="<f4", readonly=False):
        self.__cuda_array_interface__ = {"version": 3, "shape": (64,), "typestr": typestr,
                                         "data": (address, readonly), "strides": None}


class Device:
    def __init__(self, kind, index):
        self.type, self.index = kind, index

    def __str__(self):
        return f"{self.type}:{self.index}"


class Tensor:
    """As torch's say it."""

    dtype = "float32"

    def __init__(self, address, kind="cuda", index=0):
        self.address, self.device = address, Device(kind, index)
        self.is_cuda, self.is_cpu = kind == "cuda", kind == "cpu"

    def data_ptr(self):
        return self.address


def driver():
    return ctypes.CDLL(os.environ["TERN_CUDA_DRIVER"])


def memory():
    """Of the driver, in the primary context, which torch uses, too; it is current from then on."""
    device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    same("a device", driver().cuDeviceGet(ctypes.byref(device), 0), 0)
    same("a context", driver().cuDevicePrimaryCtxRetain(ctypes.byref(context), device), 0)
    same("current", driver().cuCtxSetCurrent(context), 0)
    same("memory", driver().cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4096)), 0)
    return pointer.value


def launches():
    kernel = tern.jit(PATH, device="cuda")
    at = memory()
    record = Record.from_address(at)
    for wrap in (Array, Tensor):
        other = at + 4
        made = kernel[(3, 2)](wrap(at), wrap(other), 48, 0.5, BLOCK=8, num_warps=8)
        tern.synchronize("cuda")
        name = wrap.__name__
        same(f"{name}: signature", made.signature, "*fp32:16,*fp32,i32:16,fp32,8")
        check(f"{name}: target", made.target.startswith("sm_90"), made.target)
        check(f"{name}: PTX", ".entry saw_record" in made.text("ptx") == made.asm["ptx"])
        same(f"{name}: resources", (made.n_regs, made.n_spills, made.metadata.shared),
             tuple(int(made.text("facts").split(f"\n{words}: ")[1].split()[0]) // by for words, by in
                   (("registers", 1), ("local bytes (spills)", 4), ("shared bytes", 1))))
        same(f"{name}: grid", (list(record.grid), record.block), ([3, 2, 1], 256))
        same(f"{name}: pointers", list(record.params[:2]), [at, other])
        same(f"{name}: numbers", list(record.params[2:4]), [48, 0x3F000000])
    refuses(TypeError, "tensor on cpu:0, but kernels run on cuda:0: take its .cuda()", kernel[(1,)],
            Tensor(at, "cpu"), Array(at), 1, 1.0, 8)
    refuses(TypeError, "tensor on cuda:1", kernel[(1,)], Tensor(at, "cuda", 1), Array(at), 1, 1.0, 8)
    refuses(TypeError, "'out': the array is read-only", kernel[(1,)], Array(at, "<f4", True),
            Array(at), 1, 1.0, 8)
    refuses(TypeError, "no type '>f4'", kernel[(1,)], Array(at, ">f4"), Array(at), 1, 1.0, 8)
    refuses(TypeError, "memory of the host", kernel[(1,)], bytearray(64), Array(at), 1, 1.0, 8)
    for typestr, want in (("<f2", "fp16"), ("<f8", "fp64"), ("|b1", "i1"), ("<u2", "u16"),
                          ("<i8", "i64"), ("|i1", "i8")):
        made = kernel.launch(None, Array(at, typestr), Array(at), 2, 1.0, 8)
        same(f"typestr {typestr}", made.signature.split(",")[0], f"*{want}:16")
    refuses(TypeError, "an array of a GPU", tern.jit(PATH, device="cpu")[(1,)], Array(at), Array(at), 1,
            1.0, 8)


def streams():
    kernel = tern.jit(PATH, device="cuda")
    at = memory()
    class Mock(ctypes.Structure):
        _fields_ = [(name, ctypes.c_void_p) for name in
                    ("reset", "devices", "capability", "version", "memory", "fail", "calls",
                     "failed_call", "live")] + [("trace", ctypes.CFUNCTYPE(ctypes.c_char_p))]

    control = driver().mock_control
    control.restype = ctypes.POINTER(Mock)
    trace = control().contents.trace
    trace()
    handle = ctypes.c_void_p()
    same("a stream", driver().cuStreamCreate(ctypes.byref(handle), 1), 0)

    def launched(**keywords):
        trace()
        kernel[(1,)](Array(at), Array(at), 2, 1.0, 8, **keywords)
        return [line.rpartition(", ")[2] for line in trace().decode().splitlines()
                if line.startswith("launch")]

    default, mine = launched(), launched(stream=handle.value)
    check("another stream", len(default) == len(mine) == 1 and default != mine, (default, mine))
    same("and back", launched(), default)
    like_torch = type("Stream", (), {"cuda_stream": handle.value})()
    same("torch's stream object", launched(stream=like_torch), mine)
    refuses(TypeError, "", launched, stream="fast")
    tern.synchronize("cuda")


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


DESCRIBE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
STREAM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Exchange(ctypes.Structure):  # DLPackExchangeAPI of DLPack 1.3
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                ("unused", ctypes.c_void_p * 3), ("describe", DESCRIBE), ("stream", STREAM)]


def streams_of_torch():
    """The stream is the one that torch says in C: of a class of torch's, once it was on the GPU."""
    class OfTorch:
        def __init__(self, address):
            self.address = address

        def data_ptr(self):
            return self.address

        dtype, is_cuda, device = "float32", True, Device("cuda", 0)

    handle, asked = ctypes.c_void_p(), []
    same("a stream", driver().cuStreamCreate(ctypes.byref(handle), 1), 0)

    def describe(value, out):
        out[0] = DLTensor(value.address, 2, 0, 1, 2, 32, 1, None, None, 0)
        return 0

    def stream(kind, device, out):
        asked.append((kind, device))
        out[0] = handle.value
        return 0

    table = Exchange(1, 3, None, (ctypes.c_void_p * 3)(), DESCRIBE(describe), STREAM(stream))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    OfTorch.__dlpack_c_exchange_api__ = new(ctypes.addressof(table), b"dlpack_exchange_api", None)
    kernel, at = tern.jit(PATH, device="cuda"), memory()
    kernel[(1,)](OfTorch(at), OfTorch(at), 2, 1.0, 8)
    same("another's table is not asked", asked, [])
    OfTorch.__module__ = "torch"
    for _ in range(3):
        kernel[(1,)](OfTorch(at), OfTorch(at), 2, 1.0, 8)
    same("torch's is, after the first", asked, [(2, 0)] * 2)
    kernel[(1,)](OfTorch(at), OfTorch(at), 2, 1.0, 8, stream=handle.value)
    same("not where one is given", len(asked), 2)
    tern.synchronize("cuda")


if os.path.exists(MOCK):
    run([launches, streams, streams_of_torch])
print("skipped: no mock of the driver is built")
print("test/python/on_cuda.py: 0 passed, 0 failed, 1 skipped")
