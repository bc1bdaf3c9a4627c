# Signatures against a kernel's parameters.

# case: all in order
import triton
import triton.language as tl
@triton.jit
def kernel(x, n, BLOCK: tl.constexpr, eps=1e-5): pass
# ask: sig kernel *fp32:16,i32:16,1024,fp64
# ask: sig kernel *bf16, i64:1, (1, 2), None
# ask: sig kernel *u8,i32
# ask: sig kernel
# ask: sig kernel x=*fp16:16, BLOCK=fp32, n=7
# ask: sig kernel *fp32,1024,"a,b"
# ask: sig kernel *kfp32,u1,-3,True
# want: x:*fp32/16 n:i32/16 BLOCK=1024 eps:fp64/1
# want: x:*bf16/1 n=1 BLOCK=(1, 2) eps=None
# want: x:*u8/1 n:i32/1 BLOCK eps
# want: x n BLOCK eps
# want: x:*fp16/16 n=7 BLOCK=fp32 eps
# want: x:*fp32/1 n=1024 BLOCK="a,b" eps
# want: x:*kfp32/1 n:u1/1 BLOCK=-3 eps=True

# case: mistakes
import triton
@triton.jit
def kernel(x, n, BLOCK: 'tl.constexpr'): pass
# ask: sig kernel fp33,i32,1
# ask: sig kernel *fp32:8,i32,1
# ask: sig kernel fp32:16,i32,1
# ask: sig kernel *fp32:1,i32,1
# ask: sig kernel *fp32,i32,*fp32
# ask: sig kernel *fp32,i32,i32:16
# ask: sig kernel *fp32,i32,1,2
# ask: sig kernel *fp32,,1
# ask: sig kernel *fp32,i32,
# ask: sig kernel *fp32,y=3
# ask: sig kernel *fp32,x=*fp32
# ask: sig kernel n=i32,*fp32
# ask: sig kernel *fp32,n=
# ask: sig kernel *fp32,(1
# ask: sig kernel *fp32,1]
# ask: sig kernel *fp32,i32,'a
# ask: sig kernel *fp32,void
# ask: sig kernel torch.float32,i32,1
# want: 1:1: error: unknown type 'fp33' of parameter 'x'
# want: help: a type is like i32, u8, fp16, bf16, *fp32 or *fp32:16; a constant like 1024 or 'text'
# want: 1:7: error: expected the hint 16 (divisible by 16) or 1 (equal to 1), saw '8'
# want: 1:6: error: only integers and pointers can be divisible by 16, not fp32
# want: 1:7: error: only an integer can be equal to 1, not *fp32
# want: 1:11: error: parameter 'BLOCK' is a constexpr: it needs a value, not the type '*fp32'
# want: 1:11: error: parameter 'BLOCK' is a constexpr: it needs a value, not the type 'i32:16'
# want: 1:13: error: 'kernel' has 3 parameters, and this is one more
# want: 1:7: error: expected a type or a constant, saw ','
# want: 1:11: error: expected a type or a constant, saw the end of the signature
# want: 1:7: error: 'kernel' has no parameter 'y'
# want: 1:7: error: parameter 'x' is given twice
# want: 1:7: error: an entry without a name after one with a name
# want: 1:7: error: expected a value after '='
# want: 1:7: error: '(' is not closed
# want: 1:8: error: ']' does not close anything
# want: 1:11: error: the string is not closed
# want: 1:7: error: unknown type 'void' of parameter 'n'
# want: help: a type is like i32, u8, fp16, bf16, *fp32 or *fp32:16; a constant like 1024 or 'text'
# want: 1:1: error: unknown type 'torch.float32' of parameter 'x'
# want: help: a type is like i32, u8, fp16, bf16, *fp32 or *fp32:16; a constant like 1024 or 'text'

# case: hints and blanks
import triton
@triton.jit
def kernel(x, n, m): pass
# ask: sig kernel  *fp32 : 16 , i32 : 1 , i64:16
# ask: sig kernel *fp32: 16,i32 :16,i32
# ask: sig kernel *fp32:,i32,i32
# ask: sig kernel *fp32:16x,i32,i32
# ask: sig kernel *fp32:1 6,i32,i32
# ask: sig kernel  x = *fp32:16 , m = i32:16 , n = 5
# want: x:*fp32/16 n=1 m:i64/16
# want: x:*fp32/16 n:i32/16 m:i32/1
# want: 1:7: error: expected the hint 16 (divisible by 16) or 1 (equal to 1), saw ''
# want: 1:7: error: expected the hint 16 (divisible by 16) or 1 (equal to 1), saw '16x'
# want: 1:7: error: expected the hint 16 (divisible by 16) or 1 (equal to 1), saw '1 6'
# want: x:*fp32/16 n=5 m:i32/16
