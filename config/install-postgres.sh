#!/bin/sh
# Installs Postgres's server binaries on Debian or Ubuntu if they are missing, without starting a
# server: taquilla runs a private one.
set -eu

found() {
    command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
}

if found; then
    exit 0
fi
echo "== Postgres is missing: installing the package postgresql (its own service is not started)"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "This machine has no apt-get. Install Postgres 15 or newer so that initdb is on the PATH." >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    as_root="sudo"
fi
# A package that starts its own cluster would take port 5432 from whoever wants it.
policy=/usr/sbin/policy-rc.d
ours=""
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
    $as_root chmod +x "$policy"
    ours=yes
fi
status=0
$as_root apt-get update -q && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends postgresql || status=$?
if [ -n "$ours" ]; then
    $as_root rm -f "$policy"
fi
[ "$status" = 0 ] && found || {
    echo "Postgres could not be installed; see the lines above." >&2
    exit 1
}
