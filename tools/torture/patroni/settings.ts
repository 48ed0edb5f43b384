import { join } from "node:path";

interface Place {
  scope: string;
  name: string;
  /** Where the other machines reach this one. */
  address: string;
  /** The members of etcd, as host and port. */
  etcd: readonly string[];
  /** The networks that may connect. */
  networks: readonly string[];
  directory: string;
  bin: string;
  password: string;
}

/** The settings without which an acknowledged write may be lost, and short times. */
const dynamic = {
  // A commit waits for a standby, and no other one is elected.
  synchronous_mode: true,
  // Without a standby, commits wait.
  synchronous_mode_strict: true,
  // A leader whose PostgreSQL has crashed is not started again as the leader.
  primary_start_timeout: 0,
  // A leader that is cut off gives up within loop_wait + retry_timeout, before STATEMENT_TIMEOUT_MS ends the wait of a commit.
  ttl: 20,
  loop_wait: 1,
  retry_timeout: 3,
};

/** Patroni's settings of a machine, in JSON, which is YAML. */
export function settings({ scope, name, address, etcd, networks, directory, bin, password }: Place): string {
  const login = { username: "postgres", password };
  return JSON.stringify({
    scope,
    name,
    restapi: { listen: "0.0.0.0:8008", connect_address: `${address}:8008` },
    etcd3: { hosts: etcd },
    bootstrap: {
      dcs: {
        ...dynamic,
        postgresql: {
          use_pg_rewind: true,
          parameters: { synchronous_commit: "on", max_connections: 100, wal_keep_size: "1GB" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
    },
    postgresql: {
      listen: "0.0.0.0:5432",
      connect_address: `${address}:5432`,
      data_dir: join(directory, "postgres"),
      bin_dir: bin,
      pgpass: join(directory, "pgpass"),
      authentication: { superuser: login, replication: login, rewind: login },
      pg_hba: ["127.0.0.1/32", ...networks].flatMap((network) => [
        `host all all ${network} scram-sha-256`,
        `host replication all ${network} scram-sha-256`,
      ]),
      parameters: { fsync: "off", password_encryption: "scram-sha-256", unix_socket_directories: directory },
    },
  });
}
