import { buildClientSchema, getIntrospectionQuery } from "graphql";
import { post } from "../support/child.ts";
import { numberOptions } from "../support/numberOptions.ts";
import { startThrowAway } from "../support/throwAway.ts";
import { fuzz } from "./fuzz.ts";

const { count, seconds, seed } = numberOptions("npm run fuzz --", { count: 100_000, seconds: 900, seed: 1 });

const service = await startThrowAway();
const { pid } = service.process.child;
try {
  const { data } = await post(service.url, getIntrospectionQuery());
  const schema = buildClientSchema(data);
  const authorization = await service.authorizationOf("1");
  const summary = await fuzz({ url: service.url, schema, authorization, count, seconds, seed });
  const isAlive = service.process.child.exitCode === null && service.process.child.pid === pid;
  console.log(`${summary.requests} requests with seed ${seed}; the slowest took ${Math.round(summary.slowestMs)} ms`);
  console.table(summary.outcomes);
  for (const finding of summary.findings.slice(0, 10)) console.log(finding);
  console.log(`${summary.findings.length} findings; the process ${isAlive ? "is the same" : "HAS ENDED"}`);
  process.exitCode = summary.findings.length === 0 && isAlive ? 0 : 1;
} finally {
  await service.stop();
}
