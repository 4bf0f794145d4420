#!/bin/sh
# Installs what only `make test` needs, each at one version, under target/tools: cargo-deny and
# cargo-fuzz from crates.io (built without optimisation: a minute each on two cores), Schemathesis and
# localstripe from PyPI into virtual environments of their own. What is there already is left alone. A C++
# compiler, Python's venv, nginx and nats-server come from the distribution, where they are missing; their own services
# are not started.
#
#   sh config/install-tools.sh cargo-deny|cargo-fuzz|localstripe|nats-server|nginx|schemathesis...
set -eu
cd "$(dirname "$0")/.."
tools=target/tools
mkdir -p "$tools"

# There is one version of each tool, and one mark that names it: installing another takes the mark away
# first, so that going back to the version before installs it again.
crate() {
    name=$1 version=$2
    mark="$tools/.$name-$version"
    [ -f "$mark" ] && return
    rm -f "$tools/.$name-"*
    echo "== installing $name $version into $tools"
    cargo install --quiet --locked --debug --root "$tools" --target-dir target/tools-build \
        --version "$version" "$name"
    rm -rf target/tools-build
    touch "$mark"
}

# libFuzzer is C++.
compiler() {
    command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || sh config/install-quietly.sh g++
}

# A package of PyPI, in a virtual environment of its own.
python() {
    name=$1 version=$2
    mark="$tools/.$name-$version"
    [ -f "$mark" ] && return
    rm -f "$tools/.$name-"*
    echo "== installing $name $version into $tools/$name"
    if ! python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
        sh config/install-quietly.sh python3 python3-venv
    fi
    rm -rf "$tools/$name"
    python3 -m venv "$tools/$name"
    "$tools/$name/bin/pip" install --quiet --disable-pip-version-check "$name==$version"
    touch "$mark"
}

for tool in "$@"; do
    case "$tool" in
        cargo-deny) crate cargo-deny 0.20.2 ;;
        cargo-fuzz)
            compiler
            crate cargo-fuzz 0.13.2
            ;;
        localstripe) python localstripe 1.15.10 ;;
        nats-server) [ -x /usr/sbin/nats-server ] || command -v nats-server >/dev/null 2>&1 || sh config/install-quietly.sh nats-server ;;
        nginx) [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null 2>&1 || sh config/install-quietly.sh nginx-light ;;
        schemathesis) python schemathesis 4.32.5 ;;
        *)
            echo "no such tool: $tool" >&2
            exit 2
            ;;
    esac
done
