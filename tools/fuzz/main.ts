import { buildClientSchema, getIntrospectionQuery } from "graphql";
import { post } from "../support/post.ts";
import { readOptions } from "../support/readOptions.ts";
import { startThrowAwayService } from "../support/throwAwayService.ts";
import { fuzz } from "./fuzz.ts";
import { fuzzAnswers } from "./fuzzAnswers.ts";

const { count, seconds, seed, positionals } = readOptions({
  script: "fuzz",
  purpose:
    "Sends random and damaged requests to a throw-away service until it has sent --count or --seconds are over. " +
    "Exits with status 1 if a response is missing, has a wrong status, shows an internal error, internal text or a value of another " +
    "caller, or if the service ends. With the word answers: compares the answers of compiled statements with those of the engine.",
  positionals: "[answers]",
  numbers: { count: 100_000, seconds: 900, seed: 1 },
});

if (positionals.includes("answers")) await compareWithEngine();
else await sendRequests();

async function compareWithEngine(): Promise<void> {
  const { requests, compiled, fellBack, differences } = await fuzzAnswers(count, seconds, seed);
  console.log(
    `${requests} requests with seed ${seed}: ${compiled} compiled, ${fellBack} left to the engine by their statement`,
  );
  for (const difference of differences.slice(0, 10)) console.log(difference);
  console.log(`${differences.length} answers differ`);
  process.exitCode = differences.length === 0 && requests > 0 ? 0 : 1;
}

async function sendRequests(): Promise<void> {
  await using service = await startThrowAwayService();
  const { data } = await post(service.url, getIntrospectionQuery());
  const schema = buildClientSchema(data);
  // Users of the sample content who are not admins.
  const authorizations = await Promise.all(["1", "3"].map(service.authorizationOf));
  const summary = await fuzz({ url: service.url, schema, authorizations, count, seconds, seed });
  const { isRunning } = service.process;
  console.log(`${summary.requests} requests with seed ${seed}; the slowest took ${Math.round(summary.slowestMs)} ms`);
  console.table(summary.outcomes);
  for (const finding of summary.findings.slice(0, 10)) console.log(finding);
  console.log(`${summary.findings.length} findings; the service ${isRunning ? "still runs" : "HAS ENDED"}`);
  process.exitCode = summary.findings.length === 0 && isRunning ? 0 : 1;
}
