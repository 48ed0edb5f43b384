import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { findImages, imagesIn, makeStandIns, standInNeeds } from "./baseImages.ts";
import { Checkout, serverName } from "./Checkout.ts";
import { Composition } from "./Composition.ts";
import { Engine } from "./Engine.ts";
import { buildImages, contentsOf } from "./images.ts";
import { Missing } from "./Missing.ts";
import { machineNeeds } from "./needs.ts";
import { type Stage, seconds, type Trial } from "./Stage.ts";
import { TlsTunnel } from "./TlsTunnel.ts";
import { alert } from "./trials/alert.ts";
import { promotion } from "./trials/promotion.ts";
import { release } from "./trials/release.ts";
import { restarts } from "./trials/restarts.ts";
import { networks, rights } from "./trials/rights.ts";
import { secrets } from "./trials/secrets.ts";
import { query, subscription } from "./trials/talk.ts";
import { volumes } from "./trials/volumes.ts";

export const shortTrials = { query, subscription, rights, networks, secrets };
export const allTrials = {
  query,
  subscription,
  rights,
  networks,
  restarts,
  release,
  alert,
  volumes,
  promotion,
  secrets,
};

/**
 * Brings up deploy/compose.yaml, as deploy/README.md says, and tries it.
 *
 * @param rest removes all of it
 * @param say prints a line
 * @throws Missing, or what a trial has found
 */
export async function tryCompose(
  trials: Record<string, Trial>,
  rest: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<void> {
  const engine = await Engine.find();
  if (Array.isArray(engine)) throw new Missing(engine);
  const missing = await machineNeeds([443, 9090, 3000]);
  if (missing.length > 0) throw new Missing(missing);
  const checkout = rest.use(await Checkout.make());
  const files = ["Dockerfile", "deploy/pgbouncer/Dockerfile", "deploy/compose.yaml"].map((file) =>
    join(checkout.directory, file),
  );
  const names = [...new Set((await Promise.all(files.map(imagesIn))).flat())];
  const images = await findImages(engine, names);
  if (images.missing.length > 0) {
    const lacks = await standInNeeds();
    if (lacks.length > 0) throw new Missing(lacks);
  }
  const made: string[] = [];
  rest.defer(async () => {
    for (const name of made.reverse()) await engine.docker(["image", "rm", "--force", name]);
  });
  await makeStandIns(engine, images, (name) => made.push(name));
  say(
    `${await engine.version()}. Images: ${images.real.join(", ") || "none real"}${images.standIns.length > 0 ? `; of Debian's packages: ${images.standIns.join(", ")}` : ""}`,
  );
  const services: Record<string, { image: string }> = parse(
    await readFile(join(checkout.deploy, "compose.yaml"), "utf8"),
    { merge: true },
  ).services;
  const isThere = (name: string) => !images.missing.includes(services[name]?.image as string);
  const started = Object.keys(services).filter((name) => name !== "migrate" && isThere(name));
  const leftOut = Object.keys(services).filter((name) => !isThere(name));
  if (leftOut.length > 0) say(`Left out, as no registry has the image: ${leftOut.join(", ")}`);

  const tag = `try-${randomBytes(4).toString("hex")}`;
  const build = async (name: string) => void made.push(...(await buildImages(engine, checkout, name)));
  const composition = new Composition(checkout, engine, tag, started);
  composition.release = tag;
  await build(tag);
  const { megabytes, parts } = await contentsOf(engine, `content-service:${tag}`);
  say(`The image has ${megabytes} MB: ${parts}`);
  rest.use(composition);
  say(`All ${started.length} services are healthy ${seconds(await composition.up())} after up`);
  const tunnel = rest.use(await TlsTunnel.open({ port: 443, servername: serverName, ca: checkout.certificate }));
  const stage: Stage = { engine, checkout, composition, tunnel, build };
  for (const [name, trial] of Object.entries(trials)) say(`ok ${name}: ${await trial(stage)}`);
}
