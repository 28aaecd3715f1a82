#!/bin/sh
# Install Chromium and Graphviz from Debian's packages where they are missing and it may be done.
set -u
missing=""
command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="chromium"
command -v dot >/dev/null 2>&1 || missing="$missing graphviz"
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "For all tests install:$missing" >&2
    exit 0
fi
run=""
if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null && run="sudo -n" || { echo "For all tests install:$missing (apt-get install$missing)" >&2; exit 0; }
fi
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq && $run apt-get install -qq -y --no-install-recommends $missing fonts-dejavu-core >/dev/null
