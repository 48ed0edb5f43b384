import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { ReplicatedService, useReplicatedContent } from "../support/replicated.ts";

/*
 * Standbys answer queries. While none of them replays, an answer shows where it comes from: an old one from a standby, a new one
 * from the primary.
 */
const content = useReplicatedContent(
  2,
  `create table app_private.visits (at timestamptz default now());
   create function app_private.count_visit() returns void language sql volatile set search_path = ''
   as $$ insert into app_private.visits default values $$;
   create function app_public.visits() returns int language plpgsql stable security definer set search_path = '' as $$
   begin perform app_private.count_visit(); return 1; end $$;
   create function app_public.slow_on_standbys() returns int language plpgsql stable security definer set search_path = '' as $$
   begin
     perform from app_public.tags;
     if pg_is_in_recovery() then perform pg_sleep(60); end if;
     return 1;
   end $$;
   grant execute on function app_public.visits(), app_public.slow_on_standbys() to api_anonymous;`,
);
let service: ReplicatedService;

beforeAll(async () => {
  service = await ReplicatedService.start(content);
  await Promise.all(content.standbys.map((standby) => service.until(standby, /in the rotation/)));
});
afterAll(() => service[Symbol.asyncDispose]());

const users = "{ users(limit: 100) { name } }";
const signUp = (name: string) =>
  `mutation { createUser(name: "${name}", email: "${name}@example.com", password: "a long password") { id } }`;
const rename = (name: string) => `mutation { updateProfile(input: {name: "${name}"}) { name } }`;
const names = (answer: { data?: unknown }) =>
  (answer.data as { users: { name: string }[] }).users.map(({ name }) => name);

describe("while no standby replays", () => {
  beforeAll(() => Promise.all(content.standbys.map((standby) => standby.pauseReplay())));
  afterAll(() => Promise.all(content.standbys.map((standby) => standby.resumeReplay())));

  test("a query gets an old answer, from a standby", async () => {
    const before = await service.answered();
    await content.primary.query("update app_public.users set name = 'Robert' where id = 2");
    expect(await service.ask('{ user(id: "2") { name } }')).toEqual({ data: { user: { name: "Bob" } } });
    const { primary } = await service.answered();
    expect(primary).toBe(before.primary);
  });

  test("a user reads what the same user has written; others get an old answer", async () => {
    await service.ask(rename("Adele"), "ada");
    expect(await service.ask("{ me { name } }", "ada")).toEqual({ data: { me: { name: "Adele" } } });
    expect(await service.ask('{ user(id: "1") { name } }', "bob")).toEqual({ data: { user: { name: "Ada" } } });
  });
});
