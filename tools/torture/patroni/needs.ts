import { spawnSync } from "node:child_process";
import { lackOf, serverPrograms } from "../../../test/support/machine.ts";

/** What this machine lacks for a cluster of namespaces, as the user reads it. */
export function findMissing(): string[] {
  const succeeds = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
  const programs = [
    // Older ones let a frozen leader that wakes take the lock from the new one (Patroni's pull requests 2689 and 2787).
    { path: "patroni", from: "3.1", remedy: "apt install patroni" },
    { path: "etcd", from: "3.4", remedy: "apt install etcd-server" },
    { path: "ip", from: "5.0", args: ["-V"], pattern: /iproute2-(\d+)\.(\d+)/, remedy: "apt install iproute2" },
    { path: "setpriv", from: "2.30", remedy: "apt install util-linux" },
  ];
  const isRoot = process.getuid?.() === 0;
  return [
    ...(isRoot ? [] : ["run as root"]),
    ...(isRoot && !succeeds("unshare", "--net", "true")
      ? ["the right to make network namespaces (CAP_SYS_ADMIN)"]
      : []),
    ...programs.flatMap((program) => lackOf(program) ?? []),
    ...(serverPrograms ? [] : ["apt install postgresql"]),
  ];
}
