#!/bin/sh
# Install Debian packages if we are root; otherwise say what to type, and fail.
#
# usage: tools/apt_install.sh PACKAGE...
set -eu

if ! command -v apt-get >/dev/null 2>&1; then
    echo "needed, and there is no apt-get to install it with: $*" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "needed; type:  sudo apt-get update && sudo apt-get install -y $*" >&2
    exit 1
fi

install() {
    apt-get update && apt-get install -y --no-install-recommends "$@"
}

# apt talks a lot; what it said matters only when it failed.
echo "installing $*"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! install "$@" </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "apt-get could not install: $*" >&2
    exit 1
fi
