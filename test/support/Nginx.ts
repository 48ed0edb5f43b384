import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const configuration = fileURLToPath(new URL("../../deploy/nginx.conf", import.meta.url));

/** nginx with deploy/nginx.conf, without TLS, on a Unix socket. */
export class Nginx {
  readonly socketPath: string;
  readonly #directory: string;
  readonly #process: ChildProcess;

  /**
   * @param ports of the two upstreams on 127.0.0.1
   * @param addresses where it listens besides: `127.0.0.1:8080`, `[::1]:8080`
   * @param isCache whether it keeps what may be kept, as an operator's cache would
   */
  static async start(ports: [number, number], addresses: string[] = [], isCache = false): Promise<Nginx> {
    const nginx = new Nginx(ports, addresses, isCache);
    while (nginx.#process.exitCode === null && !(await listens(nginx.socketPath))) await setImmediate();
    return nginx;
  }

  private constructor([first, second]: [number, number], addresses: string[], isCache: boolean) {
    this.#directory = mkdtempSync(join(tmpdir(), "content-service-nginx-"));
    chmodSync(this.#directory, 0o755);
    this.socketPath = join(this.#directory, "nginx.sock");
    const site = readFileSync(configuration, "utf8")
      .replace("127.0.0.1:4000", `127.0.0.1:${first}`)
      .replace("127.0.0.1:4001", `127.0.0.1:${second}`)
      .replace(
        "listen 443 ssl http2;",
        [`unix:${this.socketPath}`, ...addresses].map((one) => `listen ${one};`).join(" "),
      )
      .replaceAll(/^ *ssl_certificate.*$/gm, "")
      .replace(
        "proxy_pass",
        `${isCache ? "proxy_cache kept; add_header X-Cache $upstream_cache_status;" : ""} proxy_pass`,
      );
    const cache = isCache ? `proxy_cache_path ${this.#directory}/kept keys_zone=kept:1m;` : "";
    const file = join(this.#directory, "nginx.conf");
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${this.#directory}/${name};`,
    );
    writeFileSync(
      file,
      `pid ${this.#directory}/nginx.pid; worker_processes 2; events {} http { access_log off; ${places.join(" ")} ${cache}\n${site}\n}`,
    );
    const errors = join(this.#directory, "error.log");
    this.#process = spawn("nginx", ["-c", file, "-e", errors, "-g", "daemon off;"], { stdio: "ignore" });
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Whether a program listens on the socket. Its file is there a moment before. */
function listens(path: string): Promise<boolean> {
  const socket = connect(path);
  return once(socket, "connect")
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
