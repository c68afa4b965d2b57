#!/bin/sh
# Writes /backups/<name>.archive.gz, all of the replica set as of the end of the dump, and keeps the
# newest $KEEP backups. Runs in the image of MongoDB: dump.sh <name>
set -eu
umask 077
folder="${BACKUPS:-/backups}"

# A dump that fails leaves neither a part of it nor its manifest.
trap '[ -e "$folder/$1.archive.gz" ] || rm -f "$folder/$1.partial" "$folder/$1.json"' EXIT
# The URI may have a password, which the list of processes must not show.
printf 'uri: "%s"\n' "$BACKUP_URI" |
  mongodump --config /dev/stdin --oplog --gzip --archive="$folder/$1.partial"
mv "$folder/$1.partial" "$folder/$1.archive.gz"

# By number, not by age: while dumps fail, nothing is removed.
ls -1 "$folder" | grep '\.archive\.gz$' | sort -r | tail -n "+$((KEEP + 1))" |
  while read -r old; do rm -f "$folder/$old" "$folder/${old%.archive.gz}.json"; done
