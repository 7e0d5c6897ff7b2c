#!/bin/sh
# rotate.sh FINGERPRINT: revoke the key with this fingerprint at the gateway, activate the next one
cd "$(dirname "$0")/.." || exit 1
[ -s vault/next ] || { echo "rotate: no key left, ask the security office" >&2; exit 3; }
[ "$1" = "688f4c006215" ] || { echo "rotate: no active key has the fingerprint '$1'" >&2; exit 2; }
new=$(cat vault/next)
mv vault/next vault/telemetry.key
echo "revoked $1, active $(printf %s "$new" | sha256sum | cut -c1-12)" >> vault/log
echo "new key: $new"
