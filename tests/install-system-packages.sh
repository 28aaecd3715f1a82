#!/bin/sh
# Install Chromium, Graphviz, Pango and poppler from Debian's packages where they are missing and it may be done,
# and Chromium without windows where Debian has it: with it the tests of pages take a third less time.
set -u
missing=""
command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="chromium"
command -v dot >/dev/null 2>&1 || missing="$missing graphviz"
ldconfig -p 2>/dev/null | grep -q libpangoft2-1.0 || missing="$missing libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
command -v pdftotext >/dev/null 2>&1 || missing="$missing poppler-utils"
shell=""
command -v chromium-headless-shell >/dev/null 2>&1 || shell="chromium-headless-shell"
[ -n "$missing$shell" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    [ -z "$missing" ] || echo "For all tests install:$missing" >&2
    exit 0
fi
run=""
if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
    [ -z "$missing" ] || echo "For all tests install:$missing (apt-get install$missing)" >&2
    exit 0
fi
[ "$(id -u)" -eq 0 ] || run="sudo -n"
export DEBIAN_FRONTEND=noninteractive
install() {
    $run apt-get update -qq && $run apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}
if [ -n "$missing" ]; then
    install $missing fonts-dejavu-core fonts-liberation || exit 1
fi
if [ -n "$shell" ] && apt-cache show "$shell" >/dev/null 2>&1; then
    install --no-remove "$shell" || echo "The tests of pages take longer without $shell." >&2
fi
