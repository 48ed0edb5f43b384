import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Checkout } from "./Checkout.ts";
import type { Engine } from "./Engine.ts";
import { run } from "./run.ts";

/** Where builds find their certificate authority: see the Dockerfile. */
const authority = "/run/secrets/ca";

/** Builds the images of a checkout, with the machine's own settings of npm as a secret of the build. */
export async function buildImages(engine: Engine, { directory, deploy }: Checkout, release: string): Promise<string[]> {
  const secrets = await mkdtemp(join(tmpdir(), "content-service-secrets-"));
  try {
    const flags = await secretsOf(secrets);
    const build = async (name: string, ...args: string[]) => {
      await engine.docker(["build", "--network", "host", "--tag", name, ...args]);
      return name;
    };
    return [
      await build(`content-service:${release}`, ...flags, directory),
      await build(`content-service-pgbouncer:${release}`, "--file", join(deploy, "pgbouncer/Dockerfile"), deploy),
    ];
  } finally {
    await rm(secrets, { recursive: true });
  }
}

async function secretsOf(directory: string): Promise<string[]> {
  const settings = await Promise.all(["userconfig", "globalconfig", "cafile", "registry"].map(npmSetting));
  const [user = "", global = "", npmAuthority, registry] = settings;
  // Node's own setting, which npm here follows as well.
  const cafile = npmAuthority ?? process.env["NODE_EXTRA_CA_CERTS"];
  const texts = await Promise.all([global, user].map((file) => readFile(file, "utf8").catch(() => "")));
  const lines = texts
    .join("\n")
    .split("\n")
    .filter((line) => !/^(cafile|prefix|nodedir|registry)\b/.test(line));
  const npmrc = join(directory, "npmrc");
  await writeFile(npmrc, [...lines, `registry=${registry}`, ...(cafile ? [`cafile=${authority}`] : []), ""].join("\n"));
  return [`id=npmrc,src=${npmrc}`, ...(cafile ? [`id=ca,src=${cafile}`] : [])].flatMap((secret) => [
    "--secret",
    secret,
  ]);
}

/** @returns nothing where it is not set */
async function npmSetting(name: string): Promise<string | undefined> {
  const value = (await run("npm", ["config", "get", name], { cwd: tmpdir() })).trim();
  return value === "null" || value === "undefined" ? undefined : value;
}

export interface Contents {
  megabytes: number;
  /** What is in it, in MB, by its parts. */
  parts: string;
  files: string[];
}

/** What an image of the service has in it. */
export async function contentsOf(engine: Engine, image: string): Promise<Contents> {
  const size = Number(await engine.docker(["image", "inspect", "--format", "{{.Size}}", image]));
  const history = JSON.parse(
    `[${(await engine.docker(["history", "--no-trunc", "--human=false", "--format", "{{json .}}", image])).trim().replaceAll("\n", ",")}]`,
  );
  const layers: { CreatedBy: string; Size: string }[] = history;
  const sizeOf = (pattern: RegExp) =>
    layers.filter(({ CreatedBy }) => pattern.test(CreatedBy)).reduce((sum, { Size }) => sum + Number(Size), 0);
  const node = sizeOf(/bin\/node/);
  const packages = sizeOf(/node_modules/);
  const own = sizeOf(/COPY \. \.|sbom\.json/);
  const inMegabytes = (bytes: number) => Math.round(bytes / 1e6);
  const parts = `Debian ${inMegabytes(size - node - packages - own)}, Node ${inMegabytes(node)}, packages ${inMegabytes(packages)}, the service ${inMegabytes(own)}`;
  const files = (
    await engine.docker(["run", "--rm", "--network", "none", "--entrypoint", "find", image, "/srv", "-type", "f"])
  )
    .trim()
    .split("\n");
  return { megabytes: inMegabytes(size), parts, files };
}
