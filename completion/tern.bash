# SPDX-License-Identifier: Apache-2.0
# bash completion of tern. The words come from tern itself, so that they are those of the version
# that is installed. Names of files are marked as such only where files are meant: a folder bench/ does
# not turn 'tern ben' into its path.
_tern() {
    local tern=${COMP_WORDS[0]} command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]}
    local previous=${COMP_WORDS[COMP_CWORD - 1]} words file
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$previous" = help ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$("$tern" __complete 2>/dev/null)" -- "$current")
        return
    fi
    # FILE:KERNEL: bash breaks words at colons, and replaces what stands after the last one.
    if [ "$current" = : ]; then
        file=$previous current=''
    elif [ "$previous" = : ]; then
        file=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ -n "$file" ]; then
        [ -f "$file" ] &&
            mapfile -t COMPREPLY < <(compgen -W "$("$tern" __complete kernels "$file" 2>/dev/null)" -- "$current")
        return
    fi
    # --option=value: '=' is such a word, too.
    [ "$current" = = ] && current='' && file=$previous
    [ "$previous" = = ] && previous=${COMP_WORDS[COMP_CWORD - 2]}
    previous=${file:-$previous}
    case $previous in
    --root | -I | --save) compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    -*) words=$("$tern" __complete "$command" -- "$previous" 2>/dev/null)
        if [ -n "$words" ]; then
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
            return
        fi ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$tern" __complete "$command" 2>/dev/null)" -- "$current")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -F _tern tern
