import { connect } from "node:net";
import type { Attacker } from "../Attacker.ts";
import type { Attack } from "./Attack.ts";

/** New users come from `createUser`, because the service knows these as unverified. @returns what each sends as `Authorization` */
export async function newAccounts(attacker: Attacker, count: number): Promise<string[]> {
  const password = "a long password";
  const create =
    "mutation ($name: String!, $email: String!, $password: String) { createUser(name: $name, email: $email, password: $password) { id } }";
  const signIn =
    "mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { accessToken } }";
  const one = async (index: number) => {
    const email = `${attacker.place.userId}-${index}@example.com`;
    await attacker.ask({ query: create, variables: { name: "New", email, password } }, { isAnonymous: true });
    const data = await attacker.ask({ query: signIn, variables: { email, password } }, { isAnonymous: true });
    return data?.signIn ? [`Bearer ${data.signIn.accessToken}`] : [];
  };
  return (await Promise.all(Array.from({ length: count }, (_, index) => one(index)))).flat();
}

export const accounts: Attack = {
  title: "ten new accounts from one address, each at the limits of a user",
  async run(attacker) {
    const query = "{ posts(limit: 50) { id title author { id name } comments(limit: 20) { id text } } }";
    const flood = (authorization: string) => attacker.flood(2, () => ({ query }), { authorization });
    await Promise.all((await newAccounts(attacker, 10)).map(flood));
  },
};

export const largeAnswers: Attack = {
  title: "answers of 2 MB, read at full speed",
  prepare: `insert into app_public.posts (author_id, title, content, status)
    select $1, 'Large ' || n, repeat('x', 100000), 'PUBLISHED' from generate_series(1, 20) n`,
  run: (attacker) => attacker.flood(8, () => ({ query: "{ me { posts(limit: 20) { content } } }" })),
};

/** Raw sockets: an HTTP client would read. */
export const slowReaders: Attack = {
  title: "60 connections that ask for large answers and do not read them",
  prepare: `insert into app_public.posts (author_id, title, content, status)
    select $1, 'Large ' || n, repeat('x', 100000), 'PUBLISHED' from generate_series(1, 60) n`,
  async run(attacker) {
    const { url, authorization } = attacker.place;
    const { hostname, port, pathname, host } = new URL(url);
    const body = JSON.stringify({ query: "{ posts(limit: 60) { content } }" });
    const request =
      `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAuthorization: ${authorization}\r\n` +
      `X-Forwarded-For: 198.51.100.7\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const sockets = Array.from({ length: 60 }, () => {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.on("error", () => {});
      socket.on("close", () => attacker.note("closed by the service"));
      socket.write(request);
      return socket;
    });
    await attacker.untilOver();
    for (const socket of sockets) socket.removeAllListeners("close").destroy();
  },
};
