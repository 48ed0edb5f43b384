#!/bin/sh
# tools/pgbouncer.sh <new directory>
# Unpacks Debian 13's PgBouncer with its libraries, for tests on an older Debian. Prints its path. Needs debootstrap, and root.
set -eu
root=$(realpath --canonicalize-missing "$1")
debootstrap --variant=minbase --include=pgbouncer trixie "$root" >&2
libraries=$(dirname "$root"/usr/lib/*/ld-linux-*)
cat > "$root/pgbouncer" <<END
#!/bin/sh
exec "$libraries"/ld-linux-* --library-path "$libraries" "$root/usr/sbin/pgbouncer" "\$@"
END
chmod 755 "$root" "$root/pgbouncer"
echo "$root/pgbouncer"
