#!/bin/sh
# Schemathesis against a real server: requests made from its own OpenAPI document, right ones and wrong
# ones, as a buyer and as an operator. The same requests each time. Whatever is answered must be
# documented: status, media type, headers and body; and no 5xx at all, since nothing is wrong with this
# server. About a minute. Its own dev instance lives in target/check-api, made anew each time.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
taquilla="$root/target/debug/taquilla"
st="$root/target/tools/schemathesis/bin/st"
place="$root/target/check-api"

rm -rf "$place"
mkdir -p "$place"
cd "$place"
export TAQUILLA_DATA_DIR="$place/data"
# On a busy machine a slow decision is no finding.
export TAQUILLA__HTTP__DECISION_DEADLINE_MS=4999
"$taquilla" dev --port 0 --metrics-port 0 >ready 2>log &
server=$!
trap 'end_server 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Whatever is waited for comes within a minute, or is named.
until_it() {
    what=$1 deadline=$(($(date +%s) + 60))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || fail "within a minute not seen: $what"
        sleep 0.2
    done
}
fail() {
    echo "$1" >&2
    tail -n 20 log >&2
    exit 1
}
is_ready() {
    kill -0 "$server" 2>/dev/null || fail "the server ended while it started"
    grep -q '^TAQUILLA READY' ready
}
# A minute to stop in good order, and then it is made to.
end_server() {
    kill -TERM "$server"
    (sleep 60; kill -KILL "$server") >/dev/null 2>&1 &
    watchdog=$!
    status=0
    wait "$server" || status=$?
    kill "$watchdog" 2>/dev/null || true
    return "$status"
}
until_it "TAQUILLA READY" is_ready
api=$(sed -n 's/^TAQUILLA READY //p' ready)

# Something of the buyer's own to look at: a hold, and an order that is paid.
token=$("$taquilla" token --sub checked-buyer)
send() { curl -sS --max-time 40 --fail-with-body "$api$1" -H "Authorization: Bearer $token" \
              -H "Idempotency-Key: $2" -H 'Content-Type: application/json' -d "$3"; }
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
# The id that an answer gives; a refused request has none, and the rest would check nothing.
id() {
    id=$(printf '%s' "$2" | field "$1")
    [ -n "$id" ] || fail "no $1 in: $2"
    printf '%s' "$id"
}
event=$(id event_id "$(curl -sS --max-time 40 "$api/events/demo-open")")
hold() { id hold_id "$(send /holds "$1" "{\"event_id\":\"$event\",\"seats\":[\"$1\"]}" || true)"; }
HELD=$(hold 201-A-1)
sold=$(hold 201-A-2)
ORDER=$(id order_id "$(send /orders order "{\"hold_id\":\"$sold\"}" || true)")
attempt=$(send "/orders/$ORDER/payments" pay '{"payment_method":"sim_ok"}' || true)
id attempt_id "$attempt" >/dev/null
is_captured() {
    order=$(curl -sS --max-time 40 "$api/orders/$ORDER?wait_seconds=5" -H "Authorization: Bearer $token")
    [ "$(printf '%s' "$order" | field status)" = captured ]
}
until_it "the paid order's capture" is_captured
export HELD ORDER

check() {
    TOKEN=$("$taquilla" token --sub "$1" ${2:+--scope "$2"})
    export TOKEN
    shift 2
    "$st" --config-file "$root/config/schemathesis.toml" run "$api/openapi.json" "$@" >findings 2>&1 || {
        cat findings >&2
        exit 1
    }
    grep -a 'generated,' findings
}
echo "== the API as a buyer meets it"
check checked-buyer "" --exclude-path-regex '^/admin'
echo "== the API as an operator meets it"
check checked-operator operator --include-path-regex '^/admin'
trap - EXIT
end_server || fail "the server did not end in good order"
