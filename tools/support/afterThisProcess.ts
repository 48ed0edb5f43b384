import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a shell script when this process ends, even by kill -9: the shell waits for the end of its input, which only this
 * process holds open.
 *
 * @param args `$0`, `$1`, … of the script
 * @returns does it now
 */
export function afterThisProcess(script: string, args: readonly string[]): () => Promise<void> {
  const shell = spawn("/bin/sh", ["-c", `read -r _\n${script}`, ...args], {
    cwd: "/",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(shell, "close");
  return async () => {
    shell.stdin.end();
    await ended;
  };
}
