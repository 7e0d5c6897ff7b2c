#!/bin/sh
# check: every vendored file is listed in verdict.json
for f in $(cd vendor && find . -type f | cut -c3-); do grep -q "\"$f\"" verdict.json || { echo "not permitted: $f"; exit 1; }; done
