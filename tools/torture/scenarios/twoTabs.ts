import { type Answer, post } from "../../support/post.ts";
import type { Arena } from "../Arena.ts";
import { type Check, check } from "./Check.ts";

const password = "a long password";

/** Two tabs of a browser send the same refresh token at the same moment, and each goes on with what it was answered. */
export async function twoTabs(arena: Arena, sessions: number): Promise<Check> {
  const url = arena.service.url.replace("ws:", "http:");
  const faults = { "not refreshed": 0, "signed out later": 0 };
  const refresh = async (token: string): Promise<string | undefined> => {
    const { data }: Answer = await post(url, `mutation { refreshSession(refreshToken: "${token}") { refreshToken } }`);
    return data?.refreshSession?.refreshToken;
  };
  const email = `tabs${process.pid}@example.com`;
  const created = await post(
    url,
    `mutation { createUser(name: "Tabs", email: "${email}", password: "${password}") { id } }`,
  );
  if (!created.data?.createUser) throw new Error(`No account: ${JSON.stringify(created)}`);
  for (let count = 0; count < sessions; count++) {
    const { data } = await post(
      url,
      `mutation { signIn(email: "${email}", password: "${password}") { refreshToken } }`,
    );
    const token: string = data.signIn.refreshToken;
    const answers = await Promise.all([refresh(token), refresh(token)]);
    // One after the other, as tabs whose access tokens expire minutes later.
    for (const answer of answers) {
      if (answer === undefined) faults["not refreshed"] += 1;
      else if ((await refresh(answer)) === undefined) faults["signed out later"] += 1;
    }
  }
  return check(`two tabs refresh one session at once, ${sessions} times`, `${2 * sessions} tabs`, faults);
}
