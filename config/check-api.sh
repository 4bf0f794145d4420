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
export TAQUILLA__HTTP__DECISION_DEADLINE_MS=30000
"$taquilla" dev --port 0 --metrics-port 0 >ready 2>log &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true' EXIT
until grep -q '^TAQUILLA READY' ready; do
    kill -0 "$server" 2>/dev/null || { tail -n 20 log >&2; exit 1; }
    sleep 0.2
done
api=$(sed -n 's/^TAQUILLA READY //p' ready)

# Something of the buyer's own to look at: a hold, and an order that is paid.
token=$("$taquilla" token --sub checked-buyer)
send() { curl -sS --fail-with-body "$api$1" -H "Authorization: Bearer $token" -H "Idempotency-Key: $2" \
              -H 'Content-Type: application/json' -d "$3"; }
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
event=$(curl -sS "$api/events/demo-open" | field event_id)
hold() { send /holds "$1" "{\"event_id\":\"$event\",\"seats\":[\"$1\"]}" | field hold_id; }
HELD=$(hold 201-A-1)
sold=$(hold 201-A-2)
ORDER=$(send /orders order "{\"hold_id\":\"$sold\"}" | field order_id)
send "/orders/$ORDER/payments" pay '{"payment_method":"sim_ok"}' >/dev/null
for _ in 1 2 3 4 5 6; do
    status=$(curl -sS "$api/orders/$ORDER?wait_seconds=5" -H "Authorization: Bearer $token" | field status)
    [ "$status" = captured ] && break
done
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
# Without a token only the public part answers; the rest must refuse.
kill -TERM "$server"
wait "$server"
trap - EXIT
