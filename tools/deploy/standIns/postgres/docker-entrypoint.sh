#!/bin/sh
# The first start as in the official image: initdb, the scripts by the Unix socket alone, then the command.
set -eu
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  passwords=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" > "$passwords"
  # Words, not one argument.
  # shellcheck disable=SC2086
  initdb --username=postgres --pwfile="$passwords" --auth-host=scram-sha-256 --auth-local=trust ${POSTGRES_INITDB_ARGS:-}
  rm "$passwords"
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    if [ -e "$script" ]; then sh "$script"; fi
  done
  pg_ctl --wait --mode=fast stop
fi
exec "$@"
