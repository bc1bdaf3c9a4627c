# SPDX-License-Identifier: Apache-2.0
# Every command's help, the exit codes of misuse, and what cannot be written.
. test/cli/lib.sh

exits 2 'no command given' $TERN
exits 2 "no command 'dance'" $TERN dance
exits 0 'usage: tern COMMAND' $TERN --help
exits 0 'usage: tern COMMAND' $TERN -h
exits 0 'usage: tern COMMAND' $TERN help
exits 0 'tern 0.' $TERN --version
exits 0 'tern 0.' $TERN version
exits 2 "no command 'dance'" $TERN help dance
exits 0 '{"version":"0.' $TERN version --json
exits 0 '"commands":[{"name":"run",' $TERN help --json
exits 0 '{"name":"grid","letter":"g","value":"EXPR,..",' $TERN help bench --json
exits 0 '{"name":"peak",' $TERN peak --help --json
for command in $($TERN __complete); do
    exits 0 "usage: tern $command" $TERN "$command" --help
    exits 0 "usage: tern $command" $TERN help "$command"
    exits 0 '--device' $TERN __complete "$command"
    exits 2 "unknown option '--frobnicate'" $TERN "$command" --frobnicate
done
mkdir "$work/man"
check 'man pages can be made' tools/gen-man $TERN "$work/man"
check 'man pages are current (else: make man)' diff -r doc/man "$work/man"
exits 0 'cpu' $TERN devices
exits 0 'interp' $TERN devices
exits 2 "takes no 'x'" $TERN devices x
exits 2 "option '--json' takes no value" $TERN devices --json=1
exits 2 "option '--device' needs a value" $TERN run --device
exits 2 'which FILE' $TERN run
exits 2 "what is 'b.py'" $TERN run a.py b.py
exits 4 "no device 'abacus'" $TERN run --device abacus kernels/softmax.py
exits 2 'which FILE' $TERN show
exits 2 '--stage is missing' $TERN show kernels/softmax.py
exits 2 'which CASE_DIR' $TERN replay
exits 2 '--root is missing' $TERN replay x
exits 2 '--root /nonexistent' $TERN replay x --root /nonexistent
exits 2 'No such file' $TERN replay /nonexistent --root .
exits 2 'no case.json there' $TERN replay kernels --root .
exits 2 "--rtol: expected a number" $TERN replay x --root . --rtol=-1
if [ -w /dev/full ]; then
    exits 4 'cannot write the output' sh -c "$TERN help >/dev/full"
    exits 4 'cannot write the output' sh -c "$TERN devices --json >/dev/full"
else
    skip 2 'no /dev/full'
fi
if command -v bash >/dev/null 2>&1; then
    check 'completion of commands' bash -c ". completion/tern.bash
        COMP_WORDS=($TERN re) COMP_CWORD=1; _tern; [ \"\${COMPREPLY[0]}\" = replay ]"
    check 'completion of options' bash -c ". completion/tern.bash
        COMP_WORDS=($TERN run --gr) COMP_CWORD=2; _tern; [ \"\${COMPREPLY[0]}\" = --grid ]"
else
    skip 2 'no bash'
fi
finish
