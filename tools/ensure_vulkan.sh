#!/bin/sh
# See to it that a Vulkan loader and a driver description are there; Mesa's software driver will do.
set -eu
here=$(dirname "$0")

has_driver() {
    [ -z "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}" ] || return 0
    for folder in /usr/share /usr/local/share /etc; do
        for file in "$folder"/vulkan/icd.d/*.json; do
            [ ! -e "$file" ] || return 0
        done
    done
    return 1
}

has_loader() {
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'
}

case $(uname -s) in
    Linux) ;;
    *) exit 0 ;; # Metal and Direct3D come with the system
esac
has_driver || "$here/apt_install.sh" mesa-vulkan-drivers
has_loader || "$here/apt_install.sh" libvulkan1
