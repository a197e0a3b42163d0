# bash completion for signalk-mcp; made by go test -update
_signalk_mcp() {
  local cur=${COMP_WORDS[COMP_CWORD]} words
  case ${COMP_WORDS[COMP_CWORD-1]} in
    -ca|-login-file|-token-file|-replay) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
  esac
  case ${COMP_WORDS[1]} in
    serve) words="-battery-current -ca -insecure -log-level -login-file -mock -prefer -token-file -url" ;;
    say) words="-battery-current -ca -insecure -json -log-level -login-file -mock -prefer -token-file -url battery_state depth_state get_active_alarms get_local_time get_route list_paths read_sensor" ;;
    doctor) words="-battery-current -ca -insecure -json -log-level -login-file -mock -prefer -token-file -url" ;;
    login) words="-ca -insecure -log-level -login-file -name -timeout -token-file -url" ;;
    discover) words="" ;;
    mock) words="-addr -announce -ca -control -display-units -fault -list -original-times -port -record -record-size -record-time -replay -scenario -seed -server -speed -user" ;;
    version) words="" ;;
    *) words="serve say doctor login discover mock version -battery-current -ca -insecure -log-level -login-file -mock -prefer -token-file -url" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _signalk_mcp signalk-mcp
