#!/bin/sh
# Install Chromium, Graphviz, Pango and poppler from Debian's packages where they are missing and it may be done.
set -u
missing=""
command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="chromium"
command -v dot >/dev/null 2>&1 || missing="$missing graphviz"
ldconfig -p 2>/dev/null | grep -q libpangoft2-1.0 || missing="$missing libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
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
$run apt-get update -qq && $run apt-get install -qq -y --no-install-recommends $missing fonts-dejavu-core fonts-liberation >/dev/null
