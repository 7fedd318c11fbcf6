# Bash completion for aks-node-controller.
_aks_node_controller() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  case $prev in
    --format)
      local formats="text json html svg perfetto otlp"
      [ "${COMP_WORDS[1]}" = plan ] && formats="text json dot"
      [ "${COMP_WORDS[1]}" = check-image ] && formats="text json"
      mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$cur") && return ;;
    --for) mapfile -t COMPREPLY < <(compgen -W "result kubelet ready pod" -- "$cur") && return ;;
    --mode) mapfile -t COMPREPLY < <(compgen -W "auto native scripts" -- "$cur") && return ;;
    --provision-config | --nbc-cmd | --metadata | --out) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return ;;
    --root) mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "provision provision-wait launch bootstrap report-ready plan check-image timeline check-hotfix download-hotfix apply-embedded-hotfix apply-hotfix apply-node-custom-data kubelet-prestart version help" -- "$cur")
  else
    local flags=--help
    case ${COMP_WORDS[1]} in
      provision) flags+=" --provision-config --nbc-cmd --dry-run --mode --root --metadata" ;;
      provision-wait) flags+=" --for --timeout" ;;
      report-ready) flags+=" --wait --failure --timeout" ;;
      plan) flags+=" --provision-config --nbc-cmd --format --root --metadata" ;;
      check-image) flags+=" --root --kubernetes-version --provision-config --need --format" ;;
      timeline) flags+=" --format --out --zero" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  fi
}
complete -o filenames -F _aks_node_controller aks-node-controller
