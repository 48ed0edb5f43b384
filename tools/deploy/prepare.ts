import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BaseImages, findImages, imagesIn, makeStandIns, standInNeeds } from "./baseImages.ts";
import { Checkout } from "./Checkout.ts";
import { Engine } from "./Engine.ts";
import { buildImages, contentsOf } from "./images.ts";
import { Missing } from "./Missing.ts";

export type Say = (line: string) => void;

export interface Prepared {
  engine: Engine;
  checkout: Checkout;
  images: BaseImages;
  /** The tag of the built images. */
  tag: string;
  build(release: string): Promise<void>;
  /** A file of the checkout. */
  read(file: string): Promise<string>;
}

/**
 * Copies the checkout, gets the base images, and builds.
 *
 * @param files that name images
 * @param needs what else the machine must have
 * @throws Missing
 */
export async function prepare(
  files: readonly string[],
  needs: () => Promise<string[]>,
  rest: AsyncDisposableStack,
  say: Say,
): Promise<Prepared> {
  const engine = await Engine.find();
  const lacks = [...(Array.isArray(engine) ? engine : []), ...(await needs())];
  if (Array.isArray(engine) || lacks.length > 0) throw new Missing(lacks);
  const checkout = rest.use(await Checkout.make());
  const read = (file: string) => readFile(join(checkout.directory, file), "utf8");
  const names = new Set((await Promise.all(files.map(read))).flatMap(imagesIn));
  const images = await findImages(engine, [...names]);
  if (images.missing.length > 0) {
    const lacking = await standInNeeds();
    if (lacking.length > 0) throw new Missing(lacking);
  }
  const made: string[] = [];
  rest.defer(async () => {
    for (const name of made.reverse()) await engine.docker(["image", "rm", "--force", name]);
  });
  await makeStandIns(engine, images, (name) => made.push(name));
  const from = [...images.real, ...images.standIns.map((name) => `${name} (of Debian's packages)`)];
  say(`${await engine.version()}. Base images: ${from.join(", ")}`);
  const build = async (release: string) => void made.push(...(await buildImages(engine, checkout, release)));
  const tag = `try-${randomBytes(4).toString("hex")}`;
  await build(tag);
  const { megabytes, parts } = await contentsOf(engine, `content-service:${tag}`);
  say(`The image has ${megabytes} MB: ${parts}`);
  return { engine, checkout, images, tag, build, read };
}
