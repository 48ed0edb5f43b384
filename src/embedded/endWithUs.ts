import { spawn } from "node:child_process";
import { type Cluster, dataOf, environment } from "./cluster.ts";

const script = `
read -r _
pid=$(head -n 1 "$1/postmaster.pid") && kill -QUIT "$pid" && while kill -0 "$pid"; do sleep 0.1; done
rm -rf -- "$2" "$3"`;

/**
 * Sees to it that a throw-away server ends, and its directory goes, even when this process is killed: a shell waits for
 * the end of what it reads from us, and that end comes whatever happens.
 *
 * @returns calls it off
 */
export function endWithUs(cluster: Cluster, dataDir: string): () => void {
  const watcher = spawn("/bin/sh", ["-c", script, "sh", dataOf(cluster), cluster.directory, dataDir], {
    cwd: "/",
    env: environment,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  return () => watcher.kill("SIGKILL");
}
