# bash completion of triangulum; made by: triangulum completion bash

@KNOWS@
# What stands on the line so far, in `typed`: bash parts words at = and :, here they are whole again.
_triangulum_typed() {
  local i glue=0 word
  typed=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if ((i > 1)) && { ((glue)) || [[ "$word" == [=:]* ]]; }; then
      typed[${#typed[@]}-1]+="$word"
    else
      typed+=("$word")
    fi
    glue=0
    if [[ "$word" == *[=:] ]]; then glue=1; fi
  done
}

_triangulum() {
  local options names several scenes place keys typed i word option="" taken=0
  COMPREPLY=()
  _triangulum_typed
  local count=$((${#typed[@]} - 1))
  local now="${typed[count]}" command="${typed[1]}"
  if ((count <= 1)); then
    COMPREPLY=($(compgen -W "@COMMANDS@ --help --version" -- "$now"))
    return
  fi
  for ((i = 2; i < count; i++)); do
    word="${typed[i]}"
    if [[ -n "$option" ]]; then
      option=""
    elif [[ "$word" == -* ]]; then
      if [[ "$word" != *=* ]] && _triangulum_knows "$command" "$word"; then option="$word"; fi
    else
      ((taken += 1))
    fi
  done
  local value="$now"
  if [[ -z "$option" && "$now" == -*=* ]]; then
    option="${now%%=*}" value="${now#*=}"
  fi
  if [[ -z "$option" && "$now" == -* ]]; then
    _triangulum_knows "$command" ""
    COMPREPLY=($(compgen -W "$options" -- "$now"))
    return
  fi
  _triangulum_knows "$command" "${option:-$((taken + 1))}" || return
  local last="${COMP_WORDS[COMP_CWORD]}"
  if [[ "$last" == [=:] ]]; then last=""; fi
  if ((scenes)) && [[ "$value" == *:* ]]; then
    _triangulum_keys "${value%%:*}"
    local part="${value##*[:,]}"
    for word in $keys; do
      # Readline replaces what stands behind the last = or :, and no more.
      if [[ ",${value#*:}" != *",$word"* && "$word" == "$part"* ]]; then COMPREPLY+=("${last%"$part"}$word"); fi
    done
    if ((${#COMPREPLY[@]} > 0)); then compopt -o nospace; fi
    return
  fi
  # Names have no = or : but at their end; with one in it, the word is complete or a path.
  if [[ "$value" == *[=:]* && -n "$names" ]]; then return; fi
  local before=""
  if ((several)) && [[ "$value" == *,* ]]; then before="${value%,*},"; fi
  for word in $names; do
    # Of a list, what stands there already is not offered again.
    if [[ ",$before" != *",$word,"* && "$word" == "${value#"$before"}"* ]]; then COMPREPLY+=("$before$word"); fi
  done
  if ((${#COMPREPLY[@]} > 0)) && [[ "${COMPREPLY[*]}" != *[!=] ]]; then compopt -o nospace; fi
  case "$place" in
    file)
      if [[ -z "$names" ]]; then
        compopt -o default
      else
        compopt -o filenames
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$value")
      fi ;;
    folder) compopt -o dirnames ;;
  esac
}
complete -F _triangulum triangulum
