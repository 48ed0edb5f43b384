import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { parseAllDocuments } from "yaml";
import { Load } from "./Load.ts";
import { machineNeeds } from "./needs.ts";
import { type Document, PlayedCluster, type PlayedPod } from "./PlayedCluster.ts";
import { Podman } from "./Podman.ts";
import { prepare, type Say } from "./prepare.ts";
import { rightsOf } from "./rightsOf.ts";
import { run } from "./run.ts";
import { must, seconds } from "./Stage.ts";

const network = "content";
/** A cluster takes this long, at most, to send no more connections to a pod that stops. Shorter than STOP_DELAY_MS. */
const unrouteMs = 2_000;

const patienceMs = 120_000;

/** Plays deploy/kubernetes/base with Podman, beside a PostgreSQL, with this program in place of kubelet, Service and Deployment. */
export async function tryKubernetes(rest: AsyncDisposableStack, say: Say): Promise<void> {
  const needs = async () => [...(await machineNeeds([])), ...(await Podman.needs())];
  const files = ["Dockerfile", "deploy/pgbouncer/Dockerfile", "deploy/compose.yaml"];
  const { engine, checkout, tag, read } = await prepare(files, needs, rest, say);
  const podman = rest.use(await Podman.open());
  const kubectl = await run("kubectl", ["version", "--client"]);
  say(`${(await podman.run(["--version"])).trim()}; kubectl's ${kubectl.trim().replaceAll("\n", ", ")}`);
  const load = async (name: string) => {
    const archive = join(checkout.directory, "image.tar");
    await engine.docker(["save", "--output", archive, name]);
    const loaded = await podman.run(["load", "--quiet", "--input", archive]);
    await rm(archive);
    return loaded.replace(/^Loaded image: /, "").trim();
  };
  await podman.run(["network", "create", network]);
  const { environment, deploy } = checkout;
  const databaseUrl = await startPostgres(podman, await load("postgres:18"), environment, deploy);
  const { host } = new URL(databaseUrl);
  const values: Record<string, string> = {
    DATABASE_URL: `postgres://content_owner:${environment["OWNER_PASSWORD"]}@${host}/content`,
    API_DATABASE_URL: `postgres://api_login:${environment["API_PASSWORD"]}@${host}/content`,
    DATABASE_LISTEN_URL: `postgres://${host}`,
    JWT_SECRET: environment["JWT_SECRET"] as string,
  };
  for (const { metadata, stringData } of documentsIn(await read("deploy/kubernetes/base/secrets.example.yaml"))) {
    // Podman 4.3 takes no Secret for `envFrom`, but its own secret with the same data.
    const data = Object.keys(stringData).map((name) => [name, Buffer.from(values[name] ?? "").toString("base64")]);
    const file = join(checkout.directory, "secret.json");
    await writeFile(file, JSON.stringify(Object.fromEntries(data)));
    await podman.run(["secret", "create", metadata.name, file]);
  }
  const documents = await kustomize(join(deploy, "kubernetes/base"), await load(`content-service:${tag}`));
  const of = (kind: string) => documents.find((document) => document["kind"] === kind) as Document;
  const cluster = new PlayedCluster(podman, network, of("ConfigMap"));

  say(`ok migration: the Job's pod has ended with 0 after ${seconds(await cluster.runToEnd(of("Job")))}`);
  const first = await cluster.start("pod-1", of("Deployment"));
  say(`ok probes: started and ready ${seconds(first.readyMs)} after its start; alive`);
  say(`ok rights: ${await checkRights(podman, first)}`);
  say(`ok replacement: ${await replaceAll(cluster, of("Deployment"), first, environment["JWT_SECRET"], databaseUrl)}`);
}

/** A PostgreSQL beside the pods, with the roles of deploy/postgres. @returns the connection string of its superuser */
async function startPostgres(
  podman: Podman,
  image: string,
  environment: Record<string, string>,
  deploy: string,
): Promise<string> {
  const names = ["POSTGRES_PASSWORD", "OWNER_PASSWORD", "API_PASSWORD", "REPLICATION_PASSWORD"];
  const given = [
    ...names.map((name) => `${name}=${environment[name]}`),
    "POSTGRES_INITDB_ARGS=--encoding=UTF8 --locale-provider=builtin --locale=C.UTF-8",
  ];
  await podman.run([
    ...["run", "--detach", "--name", "postgres", "--network", network, "--user", "postgres"],
    ...given.flatMap((variable) => ["--env", variable]),
    ...[
      "--volume",
      `${join(deploy, "postgres/create-roles.sh")}:/docker-entrypoint-initdb.d/create-roles.sh:ro`,
      image,
    ],
  ]);
  const { NetworkSettings } = await podman.inspect("postgres");
  const url = `postgres://postgres:${environment["POSTGRES_PASSWORD"]}@${NetworkSettings.Networks[network].IPAddress}:5432/content`;
  const until = performance.now() + patienceMs;
  while (!(await answers(url))) {
    must(
      performance.now() < until,
      `PostgreSQL does not start: ${await podman.run(["logs", "--tail", "20", "postgres"])}`,
    );
    await delay(500);
  }
  return url;
}

/** During its first start PostgreSQL listens on its Unix socket only. */
async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

/** What kubectl makes of a base, with an image set as deploy/README.md says. */
async function kustomize(base: string, image: string): Promise<Document[]> {
  const file = join(base, "kustomization.yaml");
  const [newName, newTag] = image.split(/:(?=[^:]*$)/);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/newName: .*(?= })/, `newName: ${newName}, newTag: ${newTag}`));
  return documentsIn(await run("kubectl", ["kustomize", base]));
}

const documentsIn = (text: string): Document[] => parseAllDocuments(text).map((document) => document.toJS());

async function checkRights(podman: Podman, { container, pid }: PlayedPod): Promise<string> {
  const { capabilities, canGain, isRoot } = await rightsOf(pid);
  must(capabilities.length === 0, `The pod has the capabilities ${capabilities}`);
  must(!canGain && !isRoot, "The pod runs as root, or can gain privileges");
  const written = await podman.run([
    "exec",
    container,
    "sh",
    "-c",
    "touch written /tmp/written 2> /dev/null && echo written || true",
  ]);
  must(written === "", "The pod can write to its image");
  const { HostConfig } = await podman.inspect(container);
  must(HostConfig.Memory > 0, "The pod has no limit of memory");
  return "no capabilities, no new privileges, a read-only root, an ordinary user, a limit of memory";
}

/** Replaces the pods one after the other, under load, as the Deployment does it. */
async function replaceAll(
  cluster: PlayedCluster,
  deployment: Document,
  first: PlayedPod,
  secret: string | undefined,
  databaseUrl: string,
): Promise<string> {
  const routed = [first];
  let turn = 0;
  const url = () => (routed[turn++ % routed.length] as PlayedPod).url;
  const load = await Load.start({ url, secret, databaseUrl: async () => databaseUrl });
  const peaks: number[] = [];
  for (let number = 2; number <= 3; number++) {
    routed.push(await cluster.start(`pod-${number}`, deployment));
    await load.untilWell();
    const old = routed[0] as PlayedPod;
    peaks.push((await rightsOf(old.pid)).peakMegabytes);
    const stopped = cluster.stop(old, deployment);
    await delay(unrouteMs);
    routed.shift();
    must((await stopped) === 0, `${old.name} has ended with ${await stopped}`);
    await load.untilWell();
  }
  const { requests, messages, failed, refused, lost, reasons } = await load.stop();
  must(failed + refused + lost === 0, `${failed} failed, ${refused} refused, ${lost} lost: ${reasons.join("; ")}`);
  const { memory } = deployment["spec"].template.spec.containers[0].resources.limits;
  return `2 pods replaced: ${requests} requests, none failed; ${messages} messages, none lost; at most ${Math.max(...peaks)} MB in memory (limit: ${memory})`;
}
