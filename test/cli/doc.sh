# SPDX-License-Identifier: Apache-2.0
# The pages of doc/ that show commands show what these print: else 'make doc', and read the difference.
. test/cli/lib.sh
check 'pages show what tern prints' tools/doc-run $TERN --check doc/softmax.md doc/c.md doc/build.md \
    doc/check.md
# It can fail: a page with another output, which --check leaves as it is.
printf '```\n$ tern --version\ntern 0.0.0\n```\n' >"$work/page.md"
cp "$work/page.md" "$work/same.md"
exits 1 '-tern 0.0.0' tools/doc-run $TERN --check "$work/page.md"
check 'a check changes nothing' cmp "$work/page.md" "$work/same.md"
check 'the page is mended' tools/doc-run $TERN "$work/page.md"
check 'and then holds' tools/doc-run $TERN --check "$work/page.md"
finish
