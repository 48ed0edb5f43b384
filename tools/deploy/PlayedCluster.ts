import { setTimeout as delay } from "node:timers/promises";
import { stringify } from "yaml";
import type { Podman } from "./Podman.ts";
import { must } from "./Stage.ts";

export type Document = Record<string, any>;

export interface PlayedPod {
  name: string;
  container: string;
  /** The endpoint. */
  url: string;
  /** Of the first process. */
  pid: number;
  /** From the start to the first success of the readiness probe. */
  readyMs: number;
}

interface Probe {
  httpGet: { path: string };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
}

/** Podman plays pods; this takes the place of the controllers and of kubelet's probes. */
export class PlayedCluster {
  readonly #podman: Podman;
  readonly #network: string;
  readonly #configuration: Document;

  /** @param configuration the ConfigMap that pods name */
  constructor(podman: Podman, network: string, configuration: Document) {
    this.#podman = podman;
    this.#network = network;
    this.#configuration = configuration;
  }

  /** Runs the pod of a Job to its end. @returns how long it took. @throws with its log when it ends with another code than 0 */
  async runToEnd(job: Document): Promise<number> {
    const from = performance.now();
    const container = await this.#play(job["metadata"].name, job);
    const code = (await this.#podman.run(["wait", container])).trim();
    must(
      code === "0",
      `The Job has ended with ${code}: ${await this.#podman.run(["logs", "--tail", "20", container])}`,
    );
    return performance.now() - from;
  }

  /** Starts a pod of a Deployment, and waits until its probes say that it is started, ready and alive. */
  async start(name: string, deployment: Document): Promise<PlayedPod> {
    const from = performance.now();
    const container = await this.#play(name, deployment);
    const { State, Pod } = await this.#podman.inspect(container);
    const [{ startupProbe, readinessProbe, livenessProbe, ports }] = deployment["spec"].template.spec.containers;
    const origin = `http://${await this.#addressOf(Pod)}:${ports[0].containerPort}`;
    try {
      await untilPassed(origin, startupProbe);
      await untilPassed(origin, { ...readinessProbe, failureThreshold: startupProbe.failureThreshold });
      const readyMs = performance.now() - from;
      await untilPassed(origin, { ...livenessProbe, failureThreshold: 1 });
      return { name, container, url: `${origin}/graphql`, pid: State.Pid, readyMs };
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await this.#podman.run(["logs", "--tail", "20", container])}`);
    }
  }

  /** Stops a pod as kubelet does. @returns its exit code */
  async stop({ name, container }: PlayedPod, deployment: Document): Promise<number> {
    const { terminationGracePeriodSeconds } = deployment["spec"].template.spec;
    // `podman pod stop` may take the pod's network away before its container has ended.
    await this.#podman.run(["stop", "--time", String(terminationGracePeriodSeconds), container]);
    const { State } = await this.#podman.inspect(container);
    await this.#podman.run(["pod", "rm", "--force", name]);
    return State.ExitCode;
  }

  /**
   * Plays the pod of a template, without its probes, which Podman asks by programs that the image does not have, and its ports, which Podman
   * opens on this machine. @returns its container
   */
  async #play(name: string, { spec }: Document): Promise<string> {
    const { metadata, spec: template } = spec.template;
    const bare = ({ startupProbe, readinessProbe, livenessProbe, ports, ...container }: Document) => container;
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, name },
      spec: { ...template, containers: template.containers.map(bare) },
    };
    const text = [this.#configuration, pod].map((document) => stringify(document)).join("---\n");
    await this.#podman.run(["kube", "play", "--network", this.#network, "-"], text);
    return `${name}-${template.containers[0].name}`;
  }

  async #addressOf(podId: string): Promise<string> {
    const { InfraContainerID } = JSON.parse(await this.#podman.run(["pod", "inspect", podId]));
    const { NetworkSettings } = await this.#podman.inspect(InfraContainerID);
    return NetworkSettings.Networks[this.#network].IPAddress;
  }
}

/** @throws when it fails as often as the probe allows */
async function untilPassed(
  origin: string,
  { httpGet, periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 }: Probe,
): Promise<void> {
  let last = "";
  for (let failures = 0; failures < failureThreshold; failures++) {
    if (failures > 0) await delay(periodSeconds * 1_000);
    last = await fetch(origin + httpGet.path, { signal: AbortSignal.timeout(timeoutSeconds * 1_000) }).then(
      ({ ok, status }) => (ok ? "passed" : `status ${status}`),
      ({ message }: Error) => message,
    );
    if (last === "passed") return;
  }
  throw new Error(`${httpGet.path} has failed ${failureThreshold} times, last with ${last}`);
}
