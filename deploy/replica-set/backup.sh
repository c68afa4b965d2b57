#!/bin/sh
# Makes one backup: the manifest that `verify` compares a copy with, then the archive. As a job of
# each night, in the crontab of the machine:
#   17 3 * * *  /srv/user-collection/deploy/replica-set/backup.sh
# Copy the folder `backups` (BACKUPS in .env) elsewhere: it is on the disk that it protects.
set -eu
cd "$(dirname "$0")"
name="$(date -u +%Y-%m-%dT%H-%M-%SZ)"

docker compose run --rm -T verify --write "/backups/$name.json"
docker compose run --rm -T dump "$name"
echo "$name"
