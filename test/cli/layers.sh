# SPDX-License-Identifier: Apache-2.0
# tools/check-layers finds what it is there for.
. test/cli/lib.sh

mkdir -p "$work/tree/src/base" "$work/tree/src/ir" "$work/tree/src/cli" "$work/tree/tools"
cp tools/check-layers "$work/tree/tools/"
layers="$work/tree/tools/check-layers"
spdx='// SPDX-License-Identifier: Apache-2.0'
printf '%s\n#include "base/base.h"\n' "$spdx" >"$work/tree/src/ir/ir.h"
exits 0 'the layers hold' "$layers"
printf '%s\n#include "ir/ir.h"\n' "$spdx" >"$work/tree/src/base/bad.c"
exits 1 'base must not include "ir/ir.h"' "$layers"
printf '%s\n#include "tern.h"\n' "$spdx" >"$work/tree/src/base/bad.c"
exits 1 'includes tern.h' "$layers"
printf '%s\n#include "../ir/ir.h"\n' "$spdx" >"$work/tree/src/base/bad.c"
exits 1 'includes "../ir/ir.h"' "$layers"
printf '%s\n#include "device/device.h"\n' "$spdx" >"$work/tree/src/cli/bad.c"
exits 1 'cli must not include "device/device.h"' "$layers"
rm "$work/tree/src/cli/bad.c"
echo 'int x;' >"$work/tree/src/base/bad.c"
exits 1 'no SPDX line' "$layers"
{ echo "$spdx"; yes 'int x;' | head -n 1000; } >"$work/tree/src/base/bad.c"
exits 1 '1001 lines' "$layers"
{ echo "$spdx"; echo 'int f(int a,'; echo '      int b) {'; yes '    a++;' | head -n 100; echo '}'; } >"$work/tree/src/base/bad.c"
exits 1 'a function of' "$layers"
printf '%s\nint f(int a) {\n    switch ((int)a) {\n    case 1: return 2;\n    }\n    return a;\n}\n' "$spdx" >"$work/tree/src/base/bad.c"
exits 1 'a switch over a cast: src/base/bad.c:3' "$layers"
long=$(printf '%0101d' 0)
for text in "/* $long */" "// $long" "/* a
$long */" "int a; /* $long */"; do
    printf '%s\n%s\n' "$spdx" "$text" >"$work/tree/src/base/bad.c"
    exits 1 'a comment beyond column 100' "$layers"
done
{ echo "$spdx"; echo 'int f(int a) {'; echo '    switch (a) {'; yes '    case 1: return 2;' | head -n 200; echo '    }'; echo '}'; } >"$work/tree/src/base/bad.c"
exits 0 'the layers hold' "$layers"
finish
