# SPDX-License-Identifier: Apache-2.0
# bash completion of tern. The words come from tern itself, so that they are those of the version
# that is installed.
_tern() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local tern=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || { [ "$COMP_CWORD" = 2 ] && [ "$previous" = help ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$("$tern" __complete 2>/dev/null)" -- "$current")
        return
    fi
    case $previous in
    --device) mapfile -t COMPREPLY < <(compgen -W "cpu interp cuda sim" -- "$current"); return ;;
    --stage | -s)
        mapfile -t COMPREPLY < <(compgen -W "ast ir c ptx sass facts configs" -- "$current"); return ;;
    --target | -t) mapfile -t COMPREPLY < <(compgen -W "cpu interp sm_80 sm_89 sm_90a" -- "$current"); return ;;
    --root | -I) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$tern" __complete "$command" 2>/dev/null)" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _tern tern
