import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { run } from "./run.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The name in deploy/nginx.conf. */
export const serverName = "content.example.com";

/** A copy of the files of this checkout, with random passwords and a certificate, as deploy/README.md has an operator write them. */
export class Checkout implements AsyncDisposable {
  readonly directory: string;
  /** The values of deploy/.env. */
  environment: Record<string, string> = {};
  certificate = "";

  static async make(): Promise<Checkout> {
    const checkout = new Checkout(await mkdtemp(join(tmpdir(), "content-service-deploy-")));
    await checkout.#fill();
    return checkout;
  }

  private constructor(directory: string) {
    this.directory = directory;
  }

  get deploy(): string {
    return join(this.directory, "deploy");
  }

  async #fill(): Promise<void> {
    const copy =
      'git ls-files -z --cached --others --exclude-standard | tar --null -T - --ignore-failed-read -c | tar -x -C "$0"';
    await run("sh", ["-c", copy, this.directory], { cwd: root });
    const [certificate, key] = ["content.pem", "content.key"].map((name) => join(this.directory, name)) as [
      string,
      string,
    ];
    await run("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...[
        "-subj",
        `/CN=${serverName}`,
        "-addext",
        `subjectAltName=DNS:${serverName}`,
        "-keyout",
        key,
        "-out",
        certificate,
      ],
    ]);
    // The user of this program is perhaps not the root of the container.
    await run("chmod", ["644", key]);
    const readme = await readFile(join(this.deploy, "README.md"), "utf8");
    const [, names = ""] = /^for name in (.+); do$/m.exec(readme) ?? [];
    const lines = names.split(" ").map((name) => `${name}=${randomBytes(32).toString("hex")}`);
    lines.push(`TLS_CERTIFICATE=${certificate}`, `TLS_KEY=${key}`);
    const text = `${lines.join("\n")}\n`;
    await writeFile(join(this.deploy, ".env"), text);
    this.environment = parseEnv(text) as Record<string, string>;
    this.certificate = await readFile(certificate, "utf8");
  }

  /** The passwords, by their names. */
  get secrets(): [name: string, value: string][] {
    return Object.entries(this.environment).filter(([name]) => /PASSWORD|SECRET/.test(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
