# SPDX-License-Identifier: Apache-2.0
# lib: the smallest harness for tests of the command. A test is a script:
#
#     . test/cli/lib.sh
#     check 'what holds' COMMAND..                 the command succeeds
#     exits 2 'words that it says' COMMAND..       exit code, and a part of stdout and stderr
#     finish
#
# $TERN is the command, $work an empty folder that goes away.
passed=0 failed=0 skipped=0
: "${TERN:=build/tern}" "${BUILD:=build}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

check() {
    what=$1
    shift
    if "$@" >"$work/.out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what: $*"
        head -n 20 "$work/.out"
    fi
}

exits() {
    code=$1 words=$2
    shift 2
    timeout 120 "$@" >"$work/.out" 2>&1
    got=$?
    if [ $got = "$code" ] && grep -qF -e "$words" "$work/.out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: exit code $got, wanted $code with '$words': $*"
        head -n 20 "$work/.out"
    fi
}

skip() { # skip N 'why'
    skipped=$((skipped + $1))
    echo "skipped $1: $2"
}

task() { # task RANK COUNT COMMAND..: as srun starts it
    SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_LOCALID=$1 SLURM_PROCID=$1 SLURM_STEP_NUM_TASKS=$2
    export SLURM_JOB_ID SLURM_STEP_ID SLURM_LOCALID SLURM_PROCID SLURM_STEP_NUM_TASKS
    shift 2
    exec "$@"
}

srun() { # srun COMMAND..: two ranks of it; the exit code of rank 0, or 9 where rank 1 fails
    (task 1 2 "$@" >"$work/other" 2>&1) &
    (task 0 2 "$@")
    got=$?
    wait $! || { echo "rank 1 failed: $(cat "$work/other")"; got=9; }
    return $got
}

finish() {
    echo "$0: $passed passed, $failed failed, $skipped skipped"
    [ $failed = 0 ]
    exit
}
