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
exits 0 ', "how": "always there"}' $TERN devices --json
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
# What is wrong is refused, used or not.
k="kernels/gelu.py --grid 1 -a x_ptr=rand(8) -a out_ptr=empty(8) -a n=8 -a BLOCK=8 --device interp --allow-slow --rep 0.1"
exits 2 '--margin: expected a part' $TERN bench $k --margin -1
exits 2 '--processes: expected a number' $TERN bench $k --processes 0
exits 2 "there is no plot format 'gif'" $TERN bench $k --format gif
exits 2 "there is no plot format 'gif'" $TERN bench $k --format png,gif --save "$work/plots"
exits 2 "there is no plot format ''" $TERN bench $k --format png,,svg
check 'and nothing was made' test ! -e "$work/plots"
# Each variable of the environment that the sources read is in the man page.
for variable in $(grep -rhoE '(getenv|is_set|number_from)\("(TERN_|TMPDIR)[A-Z_]*"' src | sed 's/.*"\(.*\)"/\1/' | sort -u); do
    [ $variable != TERN_SIM_ULP ] || continue # of tests alone
    check "$variable is in the man page" grep -qx "$variable" doc/man/tern.1
done
for unit in $($TERN __complete bench -- -y); do exits 3 'allow-slow' $TERN bench kernels/gelu.py --grid 1 -y "$unit" --device interp; done
for how in $($TERN __complete bench -- --cold); do exits 3 'allow-slow' $TERN bench kernels/gelu.py --grid 1 --cold "$how" --device interp; done
for stage in $($TERN __complete show -- --stage); do
    check "'$stage' is a stage" sh -c "! $TERN show kernels/gelu.py --stage $stage --sig '*fp32,*fp32,i32,8' 2>&1 | grep -q 'no stage'"
done
if command -v bash >/dev/null 2>&1; then
    completes() { # completes 'WORDS' WANT..: the last of the words, which blanks divide, as bash divides them
        words=$1
        shift
        check "completion of '$words'" bash -c '. completion/tern.bash
            compopt() { [ "$2" = filenames ] && names=1; }
            COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) names=0
            [ "${COMP_WORDS[COMP_CWORD]}" = _ ] && COMP_WORDS[COMP_CWORD]=
            _tern; echo "names $names: ${COMPREPLY[*]}"; [ "names $names: ${COMPREPLY[*]}" = "$2" ]' _ "$TERN $words" "$*"
    }
    completes 're' 'names 0: replay'
    completes 'ben' 'names 0: bench'
    check 'a command is no name of a file' bash -c '. completion/tern.bash; ! complete -p tern | grep -q filenames'
    completes 'run --gr' 'names 0: --grid'
    completes 'run kernels/vector_add.py : vec' 'names 0: vector_add_kernel'
    completes 'run kernels/vector_add.py :' 'names 0: vector_add_kernel'
    completes 'run kernels/vector_a' 'names 1: kernels/vector_add.py'
    completes 'show --stage f' 'names 0: facts'
    completes 'bench -y T' 'names 0: TB/s TFLOP/s'
    completes 'bench --cold = fl' 'names 0: flush'
    completes 'bench --cold =' 'names 0: read fill flush'
else
    skip 11 'no bash'
fi
if command -v zsh >/dev/null 2>&1; then
    cat >"$work/zsh" <<'EOF'
# An interactive zsh is given the words and a tab, and its line is read. Its line is wide, so that none is
# broken, and it says when it reads keys: what comes sooner the terminal writes as it is.
zmodload zsh/zpty
zpty z env TERM=dumb zsh -f -i
zpty -w z "stty columns 1000; PS1='> ' fpath=(completion \$fpath); autoload -U compinit; compinit -D -u; unsetopt beep; setopt interactivecomments"
zpty -w z "zle-line-init() { print -n 'reads''keys' }; zle -N zle-line-init"
zpty -r z line '*readskeys*'
zpty -n -w z "$1"$'\t'"# end"$'\n'
zpty -r z line '*# end*'
print -r -- $line
EOF
    words() { # words 'LINE' WANT: what a tab makes of it
        check "zsh makes of '$1' '$2'" sh -c 'timeout 60 zsh -f "$1" "$2" | grep -qF -e "$3"' _ "$work/zsh" "$TERN $1" "$TERN $2"
    }
    words 'ben' 'bench '
    words 'show kernels/softmax.py:' 'show kernels/softmax.py:softmax_kernel '
    words 'bench kernels/softmax.py --cold fl' 'bench kernels/softmax.py --cold flush '
    words 'run --device=int' 'run --device=interp '
    words 'bench --lin' 'bench --line '
else
    skip 5 'no zsh'
fi
finish
