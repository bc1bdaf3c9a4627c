#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern-api.json, by which others bind the library, as `make api` makes it: a compiler finds each size,
# offset, value and type in it true, and it has what the library exports. A wrong entry of each kind is
# found. And `make dist`.
. test/cli/lib.sh
# shellcheck disable=SC2016
command -v python3 >/dev/null 2>&1 || { skip 10 'no python3'; finish; }
file=$work/tern-api.json
check 'it is made' make -s api B="$work"
true_for() { tools/api --check "$1" >"$work/check.c" && cc -std=gnu11 -fsyntax-only -Iinclude "$work/check.c"; }
check 'all of it is true' true_for "$file"
python3 - "$file" >"$work/described" <<'END'
import json, sys
print("\n".join(sorted(f["name"] for f in json.load(open(sys.argv[1]))["functions"])))
END
nm -D --defined-only "$BUILD/libtern.so" | awk '$3 != "InitializeInjection" {print $3}' | LC_ALL=C sort >"$work/exported"
check 'the library exports these functions' cmp "$work/described" "$work/exported"
for change in 's["structs"][0]["fields"][1]["offset"] += 8' 's["structs"][0]["size"] += 8' \
    's["structs"][0]["fields"][1]["type"] = "char *"' 's["enums"][0]["values"]["TERN_ERROR_COMPILE"] = -3' \
    '[f for f in s["functions"] if f["name"] == "tern_close"][0]["parameters"][0]["type"] = "tern_buffer *"' \
    's["callbacks"][0]["returns"] = "int"' 's["version"] += "0"'; do
    python3 - "$file" "$change" >"$work/wrong.json" <<'END'
import json, sys
s = json.load(open(sys.argv[1]))
exec(sys.argv[2])
print(json.dumps(s))
END
    if true_for "$work/wrong.json" >/dev/null 2>&1; then
        failed=$((failed + 1))
        echo "FAILED not found: $change"
    else
        passed=$((passed + 1))
    fi
done
# ---- the sources as one file ----
if git rev-parse HEAD >/dev/null 2>&1; then
    make -s dist B="$work/one" && make -s dist B="$work/two"
    check 'the same bytes twice' sh -c 'cmp "$0"/one/tern-*.tar.gz "$0"/two/tern-*.tar.gz' "$work"
    check 'it has the sources' sh -c 'tar -tzf "$0"/one/tern-*.tar.gz | grep -q "^tern-[0-9.]*/include/tern.h$"' "$work"
else
    skip 2 'no git'
fi
finish
