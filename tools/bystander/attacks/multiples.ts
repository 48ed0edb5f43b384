import { connect } from "node:net";
import type { Attack } from "./Attack.ts";

/** New users come from `createUser`, because the service knows these as unverified. */
export const accounts: Attack = {
  title: "ten new accounts from one address, each at the limits of a user",
  async run(attacker) {
    const password = "a long password";
    const create =
      "mutation ($name: String!, $email: String!, $password: String) { createUser(name: $name, email: $email, password: $password) { id } }";
    const signIn =
      "mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { accessToken } }";
    const one = async (index: number) => {
      const email = `${attacker.place.userId}-${index}@example.com`;
      await attacker.ask({ query: create, variables: { name: "New", email, password } }, { isAnonymous: true });
      const data = await attacker.ask({ query: signIn, variables: { email, password } }, { isAnonymous: true });
      if (!data?.signIn) return;
      const authorization = `Bearer ${data.signIn.accessToken}`;
      await attacker.flood(
        2,
        () => ({ query: "{ posts(limit: 50) { id title author { id name } comments(limit: 20) { id text } } }" }),
        {
          authorization,
        },
      );
    };
    await Promise.all(Array.from({ length: 10 }, (_, index) => one(index)));
  },
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
