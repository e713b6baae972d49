# SPDX-License-Identifier: GPL-3.0-or-later
# Bash completion of springbench, made by springbench/manual.py from the lists of the program.
@WORDS@

# Words for $1, the word that is typed; `command` and `before` are the command and the word before it.
_springbench_words() {
  local word=$1 flag='' prefix='' kind
  case $word in
  --*=*)
    flag=${word%%=*} prefix=$flag=
    word=${word#*=}
    ;;
  -*)
    _springbench_flags "$command"
    return
    ;;
  *) [[ $before != -* ]] || flag=$before ;;
  esac
  kind=$(_springbench_kind "$command$flag")
  [ -n "$kind" ] || kind=$(_springbench_kind "$command") # the flag before has no value
  case $kind:$word in
  values:*) _springbench_values "$command$flag" ;;
  pairs:*=*) _springbench_choices "${word%%=*}" | sed "s/^/${word%%=*}=/" ;;
  topics:*) if [ "$before" = list ]; then _springbench_list topics; else _springbench_list "$before"; fi ;;
  *) _springbench_list "$kind" ;;
  esac | sed "s/^/$prefix/"
}

_springbench() {
  # The line up to the cursor, since readline also splits words at = and :.
  local line=${COMP_LINE:0:COMP_POINT} command='' before='' word cut words=() typed=()
  COMPREPLY=()
  read -ra typed <<<"$line"
  word=${line##*[[:space:]]}
  cut=${word%"${word##*[=:]}"}
  [ -n "$word" ] || typed+=('')
  before=${typed[${#typed[@]} - 2]}
  if [[ $before == --@(plugin|simulator) || $word == --@(plugin|simulator)=* ]]; then return; fi # a file
  while [ ${#typed[@]} -gt 0 ]; do
    case ${typed[0]} in
    --plugin | --simulator) typed=("${typed[@]:2}") ;;
    --plugin=* | --simulator=*) typed=("${typed[@]:1}") ;;
    *) words+=("${typed[0]}") typed=("${typed[@]:1}") ;;
    esac
  done
  if [ ${#words[@]} -le 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_springbench_list commands)" -- "$word")
  else
    command=${words[1]}
    mapfile -t COMPREPLY < <(compgen -W "$(_springbench_words "$word")" -- "$word")
    # Sweep files and results directories stand beside the names of sweeps.
    if [ "$(_springbench_kind "$command")" = sweeps ] && [[ $word != -* ]] &&
      [ -z "$(_springbench_kind "$command$before")" ]; then
      compopt -o filenames 2>/dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X '!*.yaml' -- "$word"; compgen -d -- "$word")
    fi
  fi
  # Readline keeps what stands before the last = or :.
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  if [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o bashdefault -o default -F _springbench springbench
