import { must, seconds, startLoad, type Trial } from "../Stage.ts";

/** The standby takes the primary's place by hand, under load, as deploy/README.md says. */
export const promotion: Trial = async (stage) => {
  const { composition } = stage;
  const load = await startLoad(stage);
  const from = performance.now();
  await composition.compose("stop", "postgres");
  await composition.exec("replica", "pg_ctl", "promote");
  composition.primary = "replica";
  await composition.replace("pgbouncer");
  await load.untilWell();
  const took = performance.now() - from;
  const { requests, messages, failed, refused, lost, longestGapMs, reasons } = await load.stop();
  must(lost === 0, `${lost} messages or writes lost or doubled: ${reasons.join("; ")}`);
  return [
    `all is served again ${seconds(took)} after the stop of the primary (${seconds(longestGapMs)} without a message): ${requests} requests, ${refused} refused, ${failed} failed; ${messages} messages, none lost`,
    ...reasons.map((reason) => `reason: ${reason}`),
  ].join("\n       ");
};
