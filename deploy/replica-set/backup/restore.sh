#!/bin/sh
# Restores /backups/<name>.archive.gz into the MongoDB of $RESTORE_URI, which must be empty: a
# document that exists is left as it is. Runs in the image of MongoDB: restore.sh <name>
set -eu
folder="${BACKUPS:-/backups}"

printf 'uri: "%s"\n' "$RESTORE_URI" |
  mongorestore --config /dev/stdin --oplogReplay --stopOnError --gzip \
    --archive="$folder/$1.archive.gz"
