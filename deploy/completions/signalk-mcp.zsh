#compdef signalk-mcp
# made by go test -update
local -a words
if (( CURRENT == 2 )); then
  words=(
    'serve:answer an MCP host on stdin and stdout (the default)'
    'say:print what the tools say: all of them, or one'
    'doctor:go to the server step by step, and tell what works'
    'login:ask the server for a token, to be approved in its pages'
    'discover:list the servers that announce themselves on the network'
    'mock:run a Signal K server with a made-up boat'
    'version:print the version'
  )
  _describe command words
  return
fi
case $words[CURRENT-1] in
  -token-file|-login-file|-ca) _files; return ;;
esac
case ${(Q)${(z)BUFFER}[2]} in
  serve) words=(-battery-current -ca -insecure -log-level -login-file -mock -prefer -token-file -url) ;;
  say) words=(-battery-current -ca -insecure -json -log-level -login-file -mock -prefer -token-file -url battery_state depth_state get_active_alarms get_local_time get_route list_paths read_sensor) ;;
  doctor) words=(-battery-current -ca -insecure -json -log-level -login-file -mock -prefer -token-file -url) ;;
  login) words=(-ca -insecure -log-level -login-file -name -timeout -token-file -url) ;;
  discover) words=() ;;
  mock) words=(-addr -announce -ca -control -display-units -fault -list -original-times -port -record -record-size -record-time -replay -scenario -seed -server -speed -user) ;;
  version) words=() ;;
esac
compadd -- $words
