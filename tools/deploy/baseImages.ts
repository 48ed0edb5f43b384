import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Engine } from "./Engine.ts";
import { run, tryRun } from "./run.ts";

/** Marks the images that this program has made. */
const label = "content-service.stand-in";
const folder = fileURLToPath(new URL("standIns/", import.meta.url));
const debian = "debian:trixie-slim";
/** The folder of the stand-in for each image that has one. */
const standIns: Record<string, string> = {
  node: "node",
  postgres: "postgres",
  nginx: "nginx",
  "prom/prometheus": "prometheus",
};
/** Documentation, translations and caches, which the official image lacks too. */
const needless = [
  "usr/share/doc/*/*",
  "usr/share/man",
  "usr/share/locale",
  "usr/share/info",
  "var/cache/apt/archives/*.deb",
  "var/cache/apt/*.bin",
  "var/lib/apt/lists/*",
  "var/log/*",
];

export interface BaseImages {
  /** The images that a registry or the engine had. */
  real: string[];
  /** The ones that were made of Debian's packages. */
  standIns: string[];
  /** The ones that cannot be had here. */
  missing: string[];
}

/** What stand-ins need of the machine. */
export async function standInNeeds(): Promise<string[]> {
  const needs: [isMet: boolean, remedy: string][] = [
    [
      (await tryRun("debootstrap", ["--version"])) !== undefined,
      "debootstrap, as no registry of images answers: apt install debootstrap",
    ],
    [process.getuid?.() === 0, "root, for debootstrap, as no registry of images answers"],
    [
      (await mirror()) !== undefined,
      "Debian's packages in the machine's apt sources, as no registry of images answers",
    ],
  ];
  return needs.filter(([isMet]) => !isMet).map(([, remedy]) => remedy);
}

/** Asks the engine, then the registries, for each image. @returns those that neither has as `missing` */
export async function findImages(engine: Engine, names: readonly string[]): Promise<BaseImages> {
  const found: BaseImages = { real: [], standIns: [], missing: [] };
  let answers = true;
  for (const name of names) {
    if (await engine.hasImage(name)) {
      const isOurs = (await engine.docker(["image", "inspect", "--format", "{{json .Config.Labels}}", name])).includes(
        label,
      );
      (isOurs ? found.standIns : found.real).push(name);
      continue;
    }
    answers &&= await engine.docker(["pull", "--quiet", name]).then(
      () => true,
      () => false,
    );
    (answers ? found.real : found.missing).push(name);
  }
  return found;
}

/**
 * Makes images of Debian's packages under the names of the missing ones.
 *
 * @param made is told the name of each, for the removal
 */
export async function makeStandIns(engine: Engine, images: BaseImages, made: (name: string) => void): Promise<void> {
  const wanted = images.missing.filter((name) => name === debian || standInOf(name));
  // The others are made from it.
  if (wanted.length > 0 && !images.standIns.includes(debian) && !images.real.includes(debian)) {
    await importDebian(engine);
    made(debian);
  }
  for (const name of wanted) {
    if (name !== debian) {
      await buildStandIn(engine, name, standInOf(name) as string);
      made(name);
    }
    images.standIns.push(name);
  }
  images.missing = images.missing.filter((name) => !wanted.includes(name));
}

const standInOf = (name: string) => standIns[name.replace(/:.*/, "")];

async function importDebian(engine: Engine): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "content-service-debian-"));
  try {
    const root = join(directory, "root");
    await run("debootstrap", [
      "--variant=minbase",
      "--include=ca-certificates",
      "trixie",
      root,
      (await mirror()) as string,
    ]);
    // A mirror that is frozen is out of date by apt's rules.
    const checks = (await run("apt-config", ["dump"])).match(/^Acquire::Check.*$/gm) ?? [];
    await writeFile(join(root, "etc/apt/apt.conf.d/99mirror"), checks.map((line) => `${line}\n`).join(""));
    const archive = join(directory, "root.tar");
    await run("tar", ["-C", root, ...needless.map((path) => `--exclude=./${path}`), "-cf", archive, "."]);
    await engine.docker(["import", "--change", `LABEL ${label}=1`, archive, debian]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function buildStandIn(engine: Engine, name: string, part: string): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), "content-service-stand-in-"));
  try {
    await cp(join(folder, part), context, { recursive: true });
    if (part === "node") {
      await cp(process.execPath, join(context, "node"), { dereference: true });
      await cp(await npmFolder(), join(context, "npm"), { recursive: true, dereference: true });
    }
    await engine.docker(["build", "--network", "host", "--label", `${label}=1`, "--tag", name, context]);
  } finally {
    await rm(context, { recursive: true });
  }
}

async function npmFolder(): Promise<string> {
  const global = join((await run("npm", ["root", "--global"])).trim(), "npm");
  return process.env["npm_execpath"] ? dirname(dirname(process.env["npm_execpath"])) : global;
}

/** Where the machine's own apt gets Debian's packages. */
async function mirror(): Promise<string | undefined> {
  const targets = await tryRun("apt-get", ["indextargets", "--format", "$(SITE)|$(ORIGIN)|$(LABEL)"]);
  return targets
    ?.split("\n")
    .map((line) => line.split("|"))
    .find(([, origin, name]) => origin === "Debian" && name === "Debian")?.[0];
}

/** The images that a Compose file or a Dockerfile names. */
export function imagesIn(text: string): string[] {
  return [...text.matchAll(/^FROM (\S+)|^ +image: ([^\s$]+)$/gm)].map(([, from, image]) => (from ?? image) as string);
}
