fail() {
    printf '%s\n' "$1" >&2
    exit 5
}

absent() { # file
    [ ! -e "$1" ] || fail "$1 is there already: remove it, or give another folder."
}

run() { # stage, log, command
    stage=$1 log=$2
    shift 2
    printf '%s\n' "$stage: see $log"
    "$@" >"$log" 2>&1 || fail "The $stage run failed with exit status $?: see $log."
}

compare() { # stage, log, command; status 1 is that values differ
    stage=$1 log=$2
    shift 2
    printf '%s\n' "$stage: see $log"
    "$@" >"$log" 2>&1
    status=$?
    [ "$status" -le 1 ] || fail "The $stage run failed with exit status $status: see $log."
}

written() { # file, log
    [ -s "$1" ] || fail "$1 is missing or empty: see $2."
}
