import { post } from "../../support/post.ts";
import { must, seconds, startLoad, type Trial } from "../Stage.ts";

/** A query and a sign-up through nginx by TLS. Nothing but the API is there. */
export const query: Trial = async ({ tunnel: { url } }) => {
  const [read, written] = [
    await post(url, "{ postsCount }"),
    await post(url, 'mutation { createUser(name: "Ada", email: "ada@example.com") { id name } }'),
  ];
  must(read.data?.postsCount === 0, `The query has the response ${JSON.stringify(read)}`);
  must(written.data?.createUser?.name === "Ada", `The mutation has the response ${JSON.stringify(written)}`);
  for (const path of ["/metrics", "/readyz", "/healthz", "/"]) {
    const { status } = await fetch(new URL(path, url));
    must(status === 404, `${path} has status ${status} through nginx`);
  }
  return "a query, a mutation; probes and metrics are not public";
};

/** Messages over WebSockets through nginx by TLS. */
export const subscription: Trial = async (stage) => {
  const load = await startLoad(stage);
  await load.untilWell();
  const { requests, messages, failed, refused, lost, reasons, longestGapMs } = await load.stop();
  must(failed + refused + lost === 0, `${failed} failed, ${refused} refused, ${lost} lost: ${reasons.join("; ")}`);
  return `${requests} requests and ${messages} messages to 4 listeners, none lost, at most ${seconds(longestGapMs)} apart`;
};
