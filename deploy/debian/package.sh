#!/bin/sh
# Makes the Debian package of a linux binary, the same bytes for the same commit:
#     deploy/debian/package.sh VERSION ARCHITECTURE BINARY COPYRIGHT DIRECTORY
# VERSION is Go's without the v, ARCHITECTURE Debian's name. dpkg-deb is on every
# machine that can try the package out.
set -eu
arch=$2 binary=$3 copyright=$4 out=$5
here=$(dirname "$0")/..
maintainer="${MAINTAINER:-The signalk-mcp authors <signalk-mcp@users.noreply.github.com>}"

# 1.2.3-rc.1 and 0.0.0-DATE-HASH come before what they begin with; for Debian that
# is the tilde.
version=$(echo "$1" | sed 's/-/~/; s/-/./g')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
put() { # MODE SOURCE PATH
  mkdir -p -m 755 "$root/$(dirname "$3")"
  install -m "$1" "$2" "$root/$3"
}
pack() { gzip -9n <"$1" >"$root/.tmp"; put 644 "$root/.tmp" "$2"; rm "$root/.tmp"; }

umask 022
doc=usr/share/doc/signalk-mcp
put 755 "$binary" usr/bin/signalk-mcp
put 644 "$here/signalk-mcp.env" etc/signalk-mcp.env
for unit in signalk-mcp.socket signalk-mcp@.service; do
  put 644 "$here/systemd/$unit" "usr/lib/systemd/system/$unit"
done
pack "$here/signalk-mcp.1" usr/share/man/man1/signalk-mcp.1.gz
put 644 "$here/completions/signalk-mcp.bash" usr/share/bash-completion/completions/signalk-mcp
put 644 "$here/completions/signalk-mcp.zsh" usr/share/zsh/vendor-completions/_signalk-mcp
put 644 "$here/completions/signalk-mcp.fish" usr/share/fish/vendor_completions.d/signalk-mcp.fish
put 644 "$copyright" "$doc/copyright"
put 644 "$here/debian/lintian-overrides" usr/share/lintian/overrides/signalk-mcp
put 644 "$here/systemd/token.conf" "$doc/examples/token.conf"
pack "$here/../CHANGELOG.md" "$doc/CHANGELOG.md.gz"
cat >"$root/.changelog" <<END
signalk-mcp ($version) stable; urgency=medium

  * What is new is in CHANGELOG.md.gz.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
pack "$root/.changelog" "$doc/changelog.gz"
rm "$root/.changelog"
mkdir -p "$root/var/lib"
mkdir -m 700 "$root/var/lib/signalk-mcp"

size=$(du -sk --apparent-size "$root" | cut -f1)
mkdir -m 755 "$root/DEBIAN"
(cd "$root" && find etc usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
echo /etc/signalk-mcp.env >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do put 755 "$here/debian/$script" "DEBIAN/$script"; done
sed "s|@VERSION@|$version|; s|@ARCH@|$arch|; s|@SIZE@|$size|; s|@MAINTAINER@|$maintainer|" \
  "$here/debian/control" >"$root/DEBIAN/control"
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/signalk-mcp_${version}_$arch.deb" >/dev/null
echo "$out/signalk-mcp_${version}_$arch.deb"
