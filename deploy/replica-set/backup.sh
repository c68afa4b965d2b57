#!/bin/sh
# Makes one backup in a folder: the manifest that `verify` compares a copy with, then the archive,
# all of the replica set as of the end of the dump. Keeps the newest $KEEP backups (14). As a job of
# each night, in the crontab of a user who may use Docker:
#   17 3 * * *  /srv/user-collection/deploy/replica-set/backup.sh /var/backups/user-collection
# Copy the folder elsewhere: it is on the disk that it protects. The bucket of FILES_URL is not in it.
set -eu
umask 077
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
name="$(date -u +%Y-%m-%dT%H-%M-%SZ)"
cd "$(dirname "$0")"

# A dump that fails leaves neither a part of it nor its manifest.
trap '[ -e "$folder/$name.archive.gz" ] || rm -f "$folder/$name.partial" "$folder/$name.json"' EXIT
trap 'exit 1' HUP INT TERM
docker compose run --rm -T --no-deps migrate node dist/cli.js verify --write - > "$folder/$name.json"
docker compose run --rm -T --no-deps tools mongodump --oplog > "$folder/$name.partial"
mv "$folder/$name.partial" "$folder/$name.archive.gz"

# By number, not by age: while dumps fail, nothing is removed.
ls -1 "$folder" | grep '\.archive\.gz$' | sort -r | tail -n "+$((${KEEP:-14} + 1))" |
  while read -r old; do rm -f "$folder/$old" "$folder/${old%.archive.gz}.json"; done
echo "$folder/$name"
