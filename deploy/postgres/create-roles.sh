#!/bin/sh
# Runs once, when the primary's volume is empty: the roles, the database, and what the standby needs.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 \
  --set owner="$OWNER_PASSWORD" --set api="$API_PASSWORD" --set replicator="$REPLICATION_PASSWORD" <<'SQL'
create role content_owner login createrole password :'owner';
create role api_login login noinherit password :'api';
grant api_login to content_owner with admin option;
create database content owner content_owner;
create role replicator login replication password :'replicator';
-- Keeps the WAL that the standby still needs, up to max_slot_wal_keep_size.
select pg_create_physical_replication_slot('replica');
SQL
echo "host replication replicator samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
