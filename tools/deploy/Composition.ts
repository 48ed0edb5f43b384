import { setTimeout as delay } from "node:timers/promises";
import type { Checkout } from "./Checkout.ts";
import type { Engine } from "./Engine.ts";

const healthyMs = 180_000;
const pauseMs = 250;

export interface Container {
  Id: string;
  Name: string;
  Image: string;
  State: { Running: boolean; Pid: number; ExitCode: number; Health?: { Status: string } };
  HostConfig: { CapAdd: string[] | null };
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
}

/** The services of compose.yaml, under a project name of their own. */
export class Composition implements AsyncDisposable {
  readonly checkout: Checkout;
  readonly engine: Engine;
  readonly project: string;
  /** Those that are started: the ones whose image can be had. */
  readonly services: readonly string[];
  /** The tag of the service's images. */
  release: string;
  /** The service that is the primary. */
  primary = "postgres";
  /** The logs of containers that have been removed. */
  logged = "";

  constructor(checkout: Checkout, engine: Engine, project: string, services: readonly string[]) {
    this.checkout = checkout;
    this.engine = engine;
    this.project = project;
    this.release = project;
    this.services = services;
  }

  compose(...args: string[]): Promise<string> {
    const variables = { RELEASE: this.release, PRIMARY: this.primary };
    return this.engine.compose(["--project-name", this.project, ...args], this.checkout.deploy, variables);
  }

  /** Starts all of them. @returns after how many ms all were healthy */
  async up(): Promise<number> {
    const from = performance.now();
    await this.compose("up", "--detach", "--no-build", ...this.services).catch(async ({ message }: Error) => {
      const bad: string[] = [];
      for (const service of ["migrate", ...this.services]) {
        const state = (await this.container(service))?.State;
        if (state?.Health?.Status !== "healthy" && !(state && !state.Running && state.ExitCode === 0))
          bad.push(service);
      }
      throw new Error(`${message}\n${await this.compose("logs", "--no-color", "--tail", "20", ...bad)}`);
    });
    await this.untilHealthy(...this.services);
    return performance.now() - from;
  }

  /** As deploy/README.md replaces one. */
  async replace(service: string): Promise<void> {
    const wait = this.engine.hasCompose2 ? ["--wait"] : [];
    await this.compose("up", "--detach", "--no-deps", "--no-build", ...wait, service);
    await this.untilHealthy(service);
  }

  /** Removes the containers, not the volumes. */
  async down(): Promise<void> {
    await this.keepLogs();
    await this.compose("down");
  }

  async keepLogs(): Promise<void> {
    this.logged += await this.compose("logs", "--no-color");
  }

  async untilHealthy(...services: string[]): Promise<void> {
    const until = performance.now() + healthyMs;
    for (const service of services) {
      for (;;) {
        const state = (await this.container(service))?.State;
        if (state?.Running && state.Health?.Status === "healthy") break;
        if (performance.now() > until) {
          throw new Error(
            `${service} is not healthy: ${JSON.stringify(state)}\n${await this.compose("logs", "--tail", "30", service)}`,
          );
        }
        await delay(pauseMs);
      }
    }
  }

  /** @returns nothing where there is none, also where it is being replaced */
  async container(service: string): Promise<Container | undefined> {
    const labels = { project: this.project, service, oneoff: "False" };
    const filters = Object.entries(labels).flatMap(([name, value]) => [
      "--filter",
      `label=com.docker.compose.${name}=${value}`,
    ]);
    const id = (await this.engine.docker(["ps", "--all", "--quiet", ...filters])).trim();
    if (!id || id.includes("\n")) return undefined;
    return this.engine.docker(["inspect", id]).then(
      (text) => JSON.parse(text)[0],
      () => undefined,
    );
  }

  /** An address at which this machine reaches a service. */
  async address(service: string): Promise<string> {
    const container = await this.container(service);
    const [network] = Object.values(container?.NetworkSettings.Networks ?? {});
    if (!network) throw new Error(`${service} has no address`);
    return network.IPAddress;
  }

  exec(service: string, ...command: string[]): Promise<string> {
    return this.compose("exec", "-T", service, ...command);
  }

  /** The connection string of PostgreSQL's superuser. */
  async databaseUrl(): Promise<string> {
    const { POSTGRES_PASSWORD } = this.checkout.environment;
    return `postgres://postgres:${POSTGRES_PASSWORD}@${await this.address(this.primary)}:5432/content`;
  }

  /** Removes containers, volumes and networks. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.compose("down", "--volumes", "--remove-orphans", "--timeout", "5");
  }
}
