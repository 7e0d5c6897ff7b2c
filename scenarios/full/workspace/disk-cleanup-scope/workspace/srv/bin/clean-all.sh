#!/bin/sh
# Old helper of the first installation, before the cache had links.
cd "$(dirname "$0")/.." || exit 1
find -L cache tmp log -type f -delete
ls -t images/releases/* | tail -n +2 | xargs rm -f
