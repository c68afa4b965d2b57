#!/bin/sh
# Restores a backup into an empty MongoDB beside the one in use, compares it with its manifest, and
# removes it: drill.sh <name>. Ends with the exit code of the comparison.
set -eu
cd "$(dirname "$0")"
trap 'docker compose rm --stop --force --volumes drill' EXIT

docker compose up --detach --wait drill
docker compose run --rm -T restore "$1"
docker compose run --rm -T --env MONGODB_URI=mongodb://drill:27017/user-collection \
  verify "/backups/$1.json"
