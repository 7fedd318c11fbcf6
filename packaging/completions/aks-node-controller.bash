# Completion for aks-node-controller in bash.
_aks_node_controller() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  case $prev in
    --format) mapfile -t COMPREPLY < <(compgen -W "text json html svg perfetto otlp dot" -- "$cur") && return ;;
    --mode) mapfile -t COMPREPLY < <(compgen -W "auto native scripts" -- "$cur") && return ;;
    --provision-config | --nbc-cmd | --metadata | --out) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return ;;
    --root) mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "provision provision-wait launch plan timeline check-hotfix download-hotfix kubelet-prestart version help" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "--provision-config --nbc-cmd --dry-run --mode --root --metadata --timeout --format --out --zero --help" -- "$cur")
  fi
}
complete -o filenames -F _aks_node_controller aks-node-controller
