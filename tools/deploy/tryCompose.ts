import { parse } from "yaml";
import { serverName } from "./Checkout.ts";
import { Composition } from "./Composition.ts";
import { machineNeeds } from "./needs.ts";
import { prepare, type Say } from "./prepare.ts";
import { seconds, type Trial } from "./Stage.ts";
import { TlsTunnel } from "./TlsTunnel.ts";
import { alert } from "./trials/alert.ts";
import { promotion } from "./trials/promotion.ts";
import { release } from "./trials/release.ts";
import { restarts } from "./trials/restarts.ts";
import { networks, rights } from "./trials/rights.ts";
import { secrets } from "./trials/secrets.ts";
import { query, subscription } from "./trials/talk.ts";
import { volumes } from "./trials/volumes.ts";

/** Those that compose.yaml publishes. */
export const ports = [443, 9090, 3000];
export const shortTrials = { query, subscription, rights, networks, secrets };
export const allTrials = {
  ...{ query, subscription, rights, networks, restarts },
  ...{ release, alert, volumes, promotion, secrets },
};

/**
 * Brings up deploy/compose.yaml, as deploy/README.md says, and tries it.
 *
 * @param rest removes all of it
 * @param say prints a line
 * @throws Missing, or what a trial has found
 */
export async function tryCompose(trials: Record<string, Trial>, rest: AsyncDisposableStack, say: Say): Promise<void> {
  const file = "deploy/compose.yaml";
  const needs = () => machineNeeds(ports);
  const prepared = await prepare(["Dockerfile", "deploy/pgbouncer/Dockerfile", file], needs, rest, say);
  const { engine, checkout, images, tag, build, read } = prepared;
  const services: Record<string, { image: string }> = parse(await read(file), { merge: true }).services;
  const leftOut = Object.keys(services).filter((name) => images.missing.includes(services[name]?.image as string));
  if (leftOut.length > 0) say(`Left out, as no registry has the image: ${leftOut.join(", ")}`);
  const started = Object.keys(services).filter((name) => name !== "migrate" && !leftOut.includes(name));

  const composition = rest.use(new Composition(checkout, engine, tag, started));
  say(`All ${started.length} services are healthy ${seconds(await composition.up())} after up`);
  const to = { port: 443, servername: serverName, ca: checkout.certificate };
  const tunnel = rest.use(await TlsTunnel.open(to));
  const stage = { engine, checkout, composition, tunnel, build };
  for (const [name, trial] of Object.entries(trials)) say(`ok ${name}: ${await trial(stage)}`);
}
