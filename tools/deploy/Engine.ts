import { run, tryRun } from "./run.ts";

/** A container engine that answers, by its command line. */
export class Engine {
  readonly #client: string;
  readonly #compose: readonly string[];
  /** Of Compose 2, which waits for health by itself. */
  readonly hasCompose2: boolean;

  private constructor(client: string, compose: readonly string[]) {
    this.#client = client;
    this.#compose = compose;
    this.hasCompose2 = compose.length > 1;
  }

  /** @returns what this machine lacks, as the user reads it, where it has no engine */
  static async find(): Promise<Engine | string[]> {
    const clients = ["docker", "/usr/bin/docker"];
    const answering: string[] = [];
    for (const client of clients) if (await tryRun(client, ["info"])) answering.push(client);
    if (answering.length === 0) {
      return [
        "a container engine that answers: apt install docker.io, and DOCKER_HOST if its socket is not the usual one",
      ];
    }
    let client: string | undefined;
    for (const each of answering) client ??= (await hasBuildKit(each)) ? each : undefined;
    const compose = await findCompose();
    if (client && compose) return new Engine(client, compose);
    return [
      ...(client ? [] : ["BuildKit: apt install docker-buildx, or Docker's own packages"]),
      ...(compose ? [] : ["Compose: Docker's plugin compose, or apt install docker-compose"]),
    ];
  }

  docker(args: readonly string[], input?: string): Promise<string> {
    return run(this.#client, args, {
      env: { DOCKER_BUILDKIT: "1", BUILDKIT_PROGRESS: "plain" },
      ...(input ? { input } : null),
    });
  }

  /** @param args the project's options and the command */
  compose(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const [program = "", ...first] = this.#compose;
    return run(program, [...first, ...args], { cwd, env: { COMPOSE_HTTP_TIMEOUT: "300", ...env } });
  }

  async hasImage(name: string): Promise<boolean> {
    return this.docker(["image", "inspect", name]).then(
      () => true,
      () => false,
    );
  }

  async version(): Promise<string> {
    const engine = await this.docker(["version", "--format", "Docker {{.Server.Version}}"]);
    const [program = "", ...first] = this.#compose;
    const compose = await run(program, [...first, "version", "--short"]);
    return `${engine.trim()}, Compose ${compose.trim()}`;
  }
}

/** Clients before 23 have BuildKit built in; later ones need a plugin. */
async function hasBuildKit(client: string): Promise<boolean> {
  if (await tryRun(client, ["buildx", "version"])) return true;
  const version = await tryRun(client, ["version", "--format", "{{.Client.Version}}"]);
  return version !== undefined && Number.parseInt(version, 10) < 23;
}

async function findCompose(): Promise<string[] | undefined> {
  if (await tryRun("docker", ["compose", "version"])) return ["docker", "compose"];
  return (await tryRun("docker-compose", ["version"])) ? ["docker-compose"] : undefined;
}
