# fish completion for signalk-mcp; made by go test -update
complete -c signalk-mcp -f
complete -c signalk-mcp -n __fish_use_subcommand -a serve -d 'answer an MCP host on stdin and stdout (the default)'
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o battery-current -x -d "the sign of monitors wired the other way round"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o ca -rF -d "a PEM file of certificates to trust beside the system's"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o insecure -d "trust any certificate: who answers is not known"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o log-level -x -d "the level of the log: debug, info, warn or error"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o login-file -rF -d "a file with USER:PASSWORD, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o mock -d "use a made-up boat inside this program, and no server"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o prefer -x -d "the sources that are taken first, with commas"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o token-file -rF -d "a file with the access token, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from serve' -o url -x -d "the Signal K server; without it one is looked for"
complete -c signalk-mcp -n __fish_use_subcommand -a say -d 'print what the tools say: all of them, or one'
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o battery-current -x -d "the sign of monitors wired the other way round"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o ca -rF -d "a PEM file of certificates to trust beside the system's"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o insecure -d "trust any certificate: who answers is not known"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o json -d "print the whole results, as JSON, one a line"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o log-level -x -d "the level of the log: debug, info, warn or error"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o login-file -rF -d "a file with USER:PASSWORD, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o mock -d "use a made-up boat inside this program, and no server"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o prefer -x -d "the sources that are taken first, with commas"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o token-file -rF -d "a file with the access token, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -o url -x -d "the Signal K server; without it one is looked for"
complete -c signalk-mcp -n __fish_use_subcommand -a doctor -d 'go to the server step by step, and tell what works'
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o battery-current -x -d "the sign of monitors wired the other way round"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o ca -rF -d "a PEM file of certificates to trust beside the system's"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o insecure -d "trust any certificate: who answers is not known"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o json -d "print the report as JSON"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o log-level -x -d "the level of the log: debug, info, warn or error"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o login-file -rF -d "a file with USER:PASSWORD, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o mock -d "use a made-up boat inside this program, and no server"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o prefer -x -d "the sources that are taken first, with commas"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o token-file -rF -d "a file with the access token, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from doctor' -o url -x -d "the Signal K server; without it one is looked for"
complete -c signalk-mcp -n __fish_use_subcommand -a login -d 'ask the server for a token, to be approved in its pages'
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o ca -rF -d "a PEM file of certificates to trust beside the system's"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o insecure -d "trust any certificate: who answers is not known"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o log-level -x -d "the level of the log: debug, info, warn or error"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o login-file -rF -d "a file with USER:PASSWORD, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o name -x -d "the name that the administrator reads"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o timeout -x -d "how long to wait for the approval"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o token-file -rF -d "a file with the access token, mode 600"
complete -c signalk-mcp -n '__fish_seen_subcommand_from login' -o url -x -d "the Signal K server; without it one is looked for"
complete -c signalk-mcp -n __fish_use_subcommand -a discover -d 'list the servers that announce themselves on the network'
complete -c signalk-mcp -n __fish_use_subcommand -a mock -d 'run a Signal K server with a made-up boat'
complete -c signalk-mcp -n '__fish_seen_subcommand_from mock' -o addr -x -d "the address to listen on, HOST:PORT"
complete -c signalk-mcp -n '__fish_seen_subcommand_from mock' -o seed -x -d "a number that makes another boat of the same kind"
complete -c signalk-mcp -n '__fish_seen_subcommand_from mock' -o server -x -d "the version of signalk-server to be: 2.23.0 or 2.32.0"
complete -c signalk-mcp -n '__fish_seen_subcommand_from mock' -o speed -x -d "how many seconds pass on board in one of ours"
complete -c signalk-mcp -n __fish_use_subcommand -a version -d 'print the version'
complete -c signalk-mcp -n '__fish_seen_subcommand_from say' -a 'battery_state depth_state get_active_alarms get_local_time get_route list_paths read_sensor'
