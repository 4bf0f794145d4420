#!/bin/sh
# Installs packages of Debian or Ubuntu whose own services are not started: whoever runs them here does so himself, on
# ports of his own. As root, or by sudo.
#
#   sh config/install-quietly.sh PACKAGE...
set -eu
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
# The word to whatever would start one. Ours goes away again however this ends.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap '$as_root rm -f "$policy"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod +x "$policy"
fi
echo "== installing the packages $*"
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
