#compdef signalk-mcp
# made by go test -update
case $words[CURRENT-1] in
  -ca|-login-file|-token-file|-replay) _files; return ;;
esac
local -a list
case $words[2] in
  serve) list=(-battery-current -ca -insecure -log-level -login-file -mock -prefer -token-file -url) ;;
  say) list=(-battery-current -ca -insecure -json -log-level -login-file -mock -prefer -token-file -url battery_state depth_state get_active_alarms get_local_time get_route list_paths read_sensor) ;;
  doctor) list=(-battery-current -ca -insecure -json -log-level -login-file -mock -prefer -token-file -url) ;;
  login) list=(-ca -insecure -log-level -login-file -name -timeout -token-file -url) ;;
  discover) list=() ;;
  mock) list=(-addr -announce -ca -control -display-units -fault -list -original-times -port -record -record-size -record-time -replay -scenario -seed -server -speed -user) ;;
  version) list=() ;;
  *) list=(-battery-current -ca -insecure -log-level -login-file -mock -prefer -token-file -url) ;;
esac
if (( CURRENT == 2 )); then
  local -a names=(
    'serve:answer an MCP host on stdin and stdout (the default)'
    'say:print what the tools say: all of them, or one'
    'doctor:go to the server step by step, and tell what works'
    'login:ask the server for a token, to be approved in its pages'
    'discover:list the servers that announce themselves on the network'
    'mock:run a Signal K server with a made-up boat'
    'version:print the version'
  )
  _describe command names
fi
compadd -- $list
