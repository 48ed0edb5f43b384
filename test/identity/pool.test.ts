import { type Answer, people, useService } from "../support/service.ts";

/*
 * Three identities share two connections while statements time out and clients disconnect. No connection may keep the
 * identity of its previous caller.
 */
const service = useService({ poolSize: 2, statementTimeoutMs: 500 });
const times = 100;
const atOnce = 8;
const identities = ["ada", "bob", "nobody"] as const;
type Identity = (typeof identities)[number];

const who = `{ me { id email } drafts: posts(limit: 100, status: DRAFT) { title authorId } postsCount(status: DRAFT) }`;
const slow = `{ user(id: "3") { following { count } } me { id } }`;

const expected: Record<Identity, Answer> = {
  ada: own(people.ada, "ada@example.com", "Ada’s draft"),
  bob: own(people.bob, "bob@example.com", "Bob’s draft"),
  nobody: { data: { me: null, drafts: [], postsCount: 0 } },
};

function own(id: string, email: string, title: string): Answer {
  return { data: { me: { id, email }, drafts: [{ title, authorId: id }], postsCount: 1 } };
}

beforeAll(() =>
  service.database.query(`
    insert into app_public.posts (author_id, title, content) values (1, 'Ada’s draft', 'Text.'), (2, 'Bob’s draft', 'Text.');
    -- The same signature and rights as the real function, but it never ends in time.
    create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
      language plpgsql stable as $$ begin perform pg_sleep(60); return row(0); end $$`),
);

type Kind = "asks" | "is too slow" | "goes away" | "goes away from what is slow";

function kindOf(turn: number): Kind {
  if (turn % 40 === 3) return "is too slow";
  if (turn % 50 === 9) return "goes away from what is slow";
  return turn % 5 === 2 ? "goes away" : "asks";
}

/** A client disconnects some turns of the event loop after its request: each time at another stage of the request. */
async function ask(identity: Identity, kind: Kind, turn: number): Promise<Answer | "gone"> {
  const controller = new AbortController();
  const answer = fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(await service.headersOf(identity)) },
    body: JSON.stringify({ query: kind.endsWith("slow") ? slow : who }),
    signal: controller.signal,
  }).then((response) => response.json() as Promise<Answer>);
  if (kind.startsWith("goes away")) leaveAfter(turn % 12, controller);
  return answer.catch((error) => {
    if (controller.signal.aborted) return "gone";
    throw error;
  });
}

function leaveAfter(turnsOfTheLoop: number, controller: AbortController): void {
  if (turnsOfTheLoop === 0) controller.abort();
  else setImmediate(leaveAfter, turnsOfTheLoop - 1, controller);
}

test("each response belongs to its own caller", async () => {
  const seen: Record<Kind, number> = {
    asks: 0,
    "is too slow": 0,
    "goes away": 0,
    "goes away from what is slow": 0,
  };
  let gone = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < times) {
        const turn = next++;
        const identity = identities[turn % identities.length] as Identity;
        const kind = kindOf(turn);
        const answer = await ask(identity, kind, turn);
        seen[kind]++;
        if (answer === "gone") gone++;
        else if (!kind.endsWith("slow")) expect({ turn, ...answer }).toEqual({ turn, ...expected[identity] });
        else {
          expect(answer.errors?.map(({ extensions }) => extensions.code)).toEqual(["TIMEOUT"]);
          expect(answer.data.me).toEqual(identity === "nobody" ? null : { id: people[identity] });
        }
      }
    }),
  );
  expect(seen).toEqual({ asks: 75, "is too slow": 3, "goes away": 20, "goes away from what is slow": 2 });
  expect(gone).toBeGreaterThan(10);
});
