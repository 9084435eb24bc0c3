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
export DEBIAN_FRONTEND=noninteractive
echo "installing $*"
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
