#!/bin/sh
# A standby of the service `postgres`: a copy of it at the first start, then its WAL.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # --write-recovery-conf keeps the password in the data directory, for the restarts.
  until PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata="$PGDATA" --host=postgres --username=replicator \
    --slot=replica --wal-method=stream --checkpoint=fast --write-recovery-conf; do
    sleep 1
  done
fi
chmod 700 "$PGDATA"
exec postgres -c hot_standby_feedback=on
