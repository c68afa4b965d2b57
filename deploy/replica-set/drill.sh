#!/bin/sh
# Restores a backup into an empty MongoDB beside the one in use, compares it with its manifest, and
# removes it: drill.sh <folder>/<name>. Ends with the exit code of the comparison.
set -eu
backup="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
cd "$(dirname "$0")"
trap 'docker compose rm --stop --force --volumes drill' EXIT

docker compose up --detach --wait drill
docker compose run --rm -T --no-deps --env TARGET='drill/?authSource=local' tools \
  mongorestore --oplogReplay --stopOnError < "$backup.archive.gz"
docker compose run --rm -T --no-deps compare < "$backup.json"
