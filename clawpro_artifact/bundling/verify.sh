#!/bin/sh
# Checks the release in this folder: sh verify.sh KEY.pem
# Needs sha256sum, ssh-keygen, openssl and the usual POSIX tools. Runs nothing else from the folder.
set -eu
umask 077
LC_ALL=C
export LC_ALL

[ $# -eq 1 ] && [ -f "$1" ] || { echo "usage: sh verify.sh KEY.pem" >&2; exit 2; }
key=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

no() { echo "NO: $1" >&2; exit 1; }

# Names first: sha256sum would follow a link, and a list says nothing of files that it leaves out.
[ -z "$(find . ! -type f ! -type d)" ] || no "something here is neither a file nor a folder"
cut -c 67- manifest-sha256.txt > "$work/names"
cut -c 67- tagmanifest-sha256.txt >> "$work/names"
echo tagmanifest-sha256.txt >> "$work/names"
sort "$work/names" > "$work/listed"
find . -type f | sed 's|^\./||' | grep -v '^signatures/' | sort > "$work/present"
cmp -s "$work/listed" "$work/present" || no "the lists and the files here are not the same"
grep -q '  manifest-sha256.txt$' tagmanifest-sha256.txt || no "the tag list leaves out the list of data"
if grep -v '^[0-9a-f]\{64\}  data/' manifest-sha256.txt > /dev/null; then no "the list is malformed"; fi
sha256sum -c --strict --quiet tagmanifest-sha256.txt || no "a tag file changed"
sha256sum -c --strict --quiet manifest-sha256.txt || no "a data file changed"
echo "passed: every file is listed and unchanged"

printf 'release namespaces="clawpro-bundle@v1" %s\n' "$(ssh-keygen -i -m PKCS8 -f "$key")" > "$work/allowed"
index=$(sha256sum < tagmanifest-sha256.txt | cut -c 1-64)
id=$(openssl pkey -pubin -in "$key" -outform DER | sha256sum | cut -c 1-16)
[ -f "signatures/$id.sig" ] && [ -f "signatures/$id.sigstore.json" ] || no "this key has not signed"

ssh-keygen -Y verify -f "$work/allowed" -I release -n clawpro-bundle@v1 -s "signatures/$id.sig" \
    < tagmanifest-sha256.txt > /dev/null || no "the SSH signature is not by this key"
echo "passed: the SSH signature over the list"

field() { sed -n "s|.*\"$1\":\"\([A-Za-z0-9+/=]*\)\".*|\1|p" "signatures/$id.sigstore.json"; }
field payload | openssl base64 -d -A > "$work/payload"
field sig | openssl base64 -d -A > "$work/signature"
{
    printf 'DSSEv1 28 application/vnd.in-toto+json %d ' "$(wc -c < "$work/payload")"
    cat "$work/payload"
} | openssl dgst -sha256 -verify "$key" -signature "$work/signature" > /dev/null \
    || no "the statement is not signed by this key"
grep -qF '"subject":[{"digest":{"sha256":"'"$index"'"},"name":"tagmanifest-sha256.txt"}]' "$work/payload" \
    || no "the statement is about something else"
grep -qF '"predicateType":"urn:clawpro:predicate:release:v1"' "$work/payload" \
    || no "the statement is of another type"
echo "passed: the statement about the list"
echo "YES: this is what the holder of $1 signed (bundle sha256:$index)"
