#compdef triangulum
# zsh completion of triangulum; made by: triangulum completion zsh

@KNOWS@
_triangulum() {
  local options names several scenes place keys word option="" taken=0 i command="$words[2]"
  if (( CURRENT == 2 )); then
    compadd -- @COMMANDS@ --help --version
    return
  fi
  for (( i = 3; i < CURRENT; i++ )); do
    word="$words[i]"
    if [[ -n "$option" ]]; then
      option=""
    elif [[ "$word" == -* ]]; then
      if [[ "$word" != *=* ]] && _triangulum_knows "$command" "$word"; then option="$word"; fi
    else
      (( taken += 1 ))
    fi
  done
  word="$words[CURRENT]"
  if [[ -z "$option" && "$word" == -*=* ]]; then
    option="${word%%=*}"
    compset -P '*='
  elif [[ -z "$option" && "$word" == -* ]]; then
    _triangulum_knows "$command" ""
    compadd -- ${=options}
    return
  fi
  _triangulum_knows "$command" "${option:-$(( taken + 1 ))}" || return
  local -a known=(${=names})
  if (( scenes )) && [[ "$PREFIX" == *:* ]]; then
    _triangulum_keys "${PREFIX%%:*}"
    local -a given=(${(s:,:)${PREFIX#*:}})
    given=(${(M)given##*=})
    known=(${=keys})
    known=(${known:|given})
    compset -P '*[:,]'
    compadd -S '' -- $known
    return
  fi
  if (( several )); then
    # Of a list, what stands there already is not offered again.
    local -a given=(${(s:,:)${${PREFIX%,*}:#$PREFIX}})
    known=(${known:|given})
    compset -P '*,'
    (( $#known )) && compadd -q -S ',' -- $known
  elif [[ "$names" == *= ]]; then
    compadd -S '' -- $known
  elif (( $#known )); then
    compadd -- $known
  fi
  case "$place" in
    file) _files ;;
    folder) _files -/ ;;
  esac
}
# As a file of fpath it is read at the first word to be completed, and answers at once; it may be sourced, too.
if [[ "$funcstack[1]" == _triangulum ]]; then
  _triangulum "$@"
else
  compdef _triangulum triangulum
fi
