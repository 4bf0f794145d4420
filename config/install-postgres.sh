#!/bin/sh
# Installs Postgres's server binaries on Debian or Ubuntu if there are none of version 15 or newer,
# without starting a server: taquilla runs a private one.
set -eu
version_min=15

# The folder whose binaries taquilla runs: PATH first, then Debian's, the newest version first.
folder() {
    (
        IFS=:
        for folder in $PATH; do
            [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && printf '%s\n' "$folder"
        done
        true
    )
    for folder in /usr/lib/postgresql/*/bin; do
        [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ] && printf '%s\n' "$folder"
    done | sort -t / -k 5,5 -rn
}
# Its major version; nothing where there is none.
found() {
    first=$(folder | head -n 1)
    [ -z "$first" ] || "$first/postgres" --version | sed -n 's/[^0-9]*\([0-9]*\).*/\1/p'
}

version=$(found)
if [ -n "$version" ]; then
    [ "$version" -ge "$version_min" ] && exit 0
    echo "taquilla needs Postgres $version_min or newer and finds $version in $(folder | head -n 1)." >&2
    echo "Install a newer one, or put the folder of its initdb and postgres first on the PATH." >&2
    exit 1
fi
echo "== Postgres is missing: installing the package postgresql (its own service is not started)"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "This machine has no apt-get. Install Postgres $version_min or newer so that initdb and postgres are on the PATH." >&2
    exit 1
fi
status=0
sh "$(dirname "$0")/install-quietly.sh" postgresql || status=$?
version=$(found)
if [ "$status" != 0 ] || [ -z "$version" ]; then
    echo "Postgres could not be installed; see the lines above." >&2
    exit 1
fi
if [ "$version" -lt "$version_min" ]; then
    echo "This distribution brings Postgres $version; taquilla needs $version_min or newer." >&2
    exit 1
fi
