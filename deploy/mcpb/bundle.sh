#!/bin/sh
# Packs an MCP Bundle, and writes the MCP Registry's entry for it:
#     deploy/mcpb/bundle.sh VERSION DIRECTORY BINARY...
# VERSION is Go's without the v. bin/release packs; DIRECTORY has the licences too.
set -eu
version=$1 out=$2
shift 2
here=$(dirname "$0")
rm -rf "$out/bundle"
mkdir -p "$out/bundle/server"
cp "$here/signalk-mcp" "$@" "$out/bundle/server"
cp "$out/copyright" "$out/bundle"
sed "s/0\.0\.0/$version/" "$here/manifest.json" >"$out/bundle/manifest.json"
bin/release bundle "$out/bundle" >"$out/signalk-mcp.mcpb"
sum=$(sha256sum <"$out/signalk-mcp.mcpb" | cut -c1-64)
sed "s/0\.0\.0/$version/; s/0\{64\}/$sum/" "$here/../server.json" >"$out/server.json"
