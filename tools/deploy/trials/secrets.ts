import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { contentsOf } from "../images.ts";
import { must, type Trial } from "../Stage.ts";

/** What an image has no use for. */
const needless = /\/\.(env|git)\b|\/(test|tools|deploy|docs|bench|site|examples)\//;

/** No password of deploy/.env is in a log, or in an image and its history. */
export const secrets: Trial = async ({ engine, checkout, composition }) => {
  await composition.keepLogs();
  const names = checkout.secrets;
  const inLogs = names.filter(([, value]) => composition.logged.includes(value)).map(([name]) => name);
  must(inLogs.length === 0, `The logs have ${inLogs.join(", ")}`);
  const images = ["content-service", "content-service-pgbouncer"].map((name) => `${name}:${composition.release}`);
  for (const image of images) {
    const archive = join(checkout.directory, "image.tar");
    const id = (await engine.docker(["create", image])).trim();
    await engine.docker(["export", "--output", archive, id]);
    await engine.docker(["rm", id]);
    const known =
      (await engine.docker(["image", "inspect", image])) + (await engine.docker(["history", "--no-trunc", image]));
    const found = names.filter(([, value]) => known.includes(value)).map(([name]) => name);
    found.push(...(await findIn(archive, names)));
    await rm(archive, { force: true });
    must(found.length === 0, `${image} has ${found.join(", ")}`);
  }
  const { files } = await contentsOf(engine, images[0] as string);
  const own = files.filter((file) => !file.includes("/node_modules/"));
  const left = [
    ...own.filter((file) => needless.test(file.replace("/srv/content-service", ""))),
    ...files.filter((file) => /\.map$|\.d\.[mc]?ts$/.test(file)),
  ];
  must(left.length === 0, `The image has ${left.slice(0, 5).join(", ")}`);
  const lines = composition.logged.split("\n").length;
  return `${names.length} passwords are in none of ${lines} lines of logs, and in neither image's files, settings or history`;
};

async function findIn(file: string, names: [string, string][]): Promise<string[]> {
  const found = new Set<string>();
  let rest = "";
  for await (const chunk of createReadStream(file, { encoding: "latin1", highWaterMark: 1 << 22 })) {
    const text = rest + chunk;
    for (const [name, value] of names) if (text.includes(value)) found.add(name);
    rest = text.slice(-100);
  }
  return [...found];
}
