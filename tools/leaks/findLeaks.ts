import { buildClientSchema, getIntrospectionQuery } from "graphql";
import type pg from "pg";
import type { Answer } from "../support/post.ts";
import { type Cast, chooseFrom } from "./cast.ts";
import { type Forbidden, forbiddenAmong, type Shown } from "./forbidden.ts";
import { everyPath, type Guess, type Path } from "./paths.ts";
import { pathsAtOnce, writeOperation } from "./writeOperation.ts";

/** Sends a query as the user with that id, or as an anonymous caller. */
export type Ask = (query: string, userId: string | null) => Promise<Answer>;

export type Viewer = "anonymous" | "stranger" | "owner" | "admin";

export interface Leak extends Forbidden {
  viewer: Viewer;
  path: string;
}

export interface Findings {
  cast: Cast;
  /** How many paths each viewer has queried. */
  paths: number;
  leaks: Leak[];
  /** How many objects of each type each viewer has seen. A viewer who sees nothing proves nothing. */
  shown: Record<Viewer, Record<string, number>>;
  /** Fields without known arguments, and paths that failed with another code than a refusal. */
  untried: string[];
}

const depth = 6;

/**
 * Queries every path of the schema that leads to an object with an id, as four viewers, and reports everything that the
 * permission table forbids: drafts, their comments and tags, e-mails and messages of others, reports and bans, by id and by text.
 *
 * @param database a connection of the owner, to know what is hidden
 */
export async function findLeaks(ask: Ask, database: pg.Pool): Promise<Findings> {
  const cast = await chooseFrom(database);
  const { data } = await ask(getIntrospectionQuery(), null);
  if (!data) throw new Error("The service refuses introspection. Set INTROSPECTION=true while you search for leaks.");
  const { paths, untried } = everyPath(buildClientSchema(data), depth, guesses(cast));
  const viewers: [Viewer, string | null][] = [
    ["anonymous", null],
    ["stranger", cast.stranger],
    ["owner", cast.owner],
    ["admin", cast.admin],
  ];
  const findings: Findings = { cast, paths: paths.length, leaks: [], shown: {} as Findings["shown"], untried };
  for (const [viewer, userId] of viewers) {
    const everything = emptyShown();
    findings.shown[viewer] = {};
    if (viewer !== "anonymous" && userId === null) continue;
    for (let i = 0; i < paths.length; i += pathsAtOnce) {
      const some = paths.slice(i, i + pathsAtOnce);
      const seen = await look(ask, userId, some, untried);
      const together = seen.map(([, shown]) => shown).reduce(merge, emptyShown());
      merge(everything, together);
      if ((await forbiddenAmong(database, userId, together)).length === 0) continue;
      for (const [path, shown] of seen) {
        const forbidden = await forbiddenAmong(database, userId, shown);
        findings.leaks.push(...forbidden.map((what) => ({ ...what, viewer, path: nameOf(path) })));
      }
    }
    for (const [type, ids] of everything.ids) findings.shown[viewer][type] = ids.size;
  }
  return findings;
}

/** Arguments that point to hidden objects. */
function guesses(cast: Cast): Guess {
  const byType: Record<string, string | null> = {
    User: cast.owner,
    Post: cast.draft,
    PostRevision: cast.revision,
    Comment: cast.comment,
    Chat: cast.chat,
    Message: cast.message,
    Notification: cast.notification,
    Report: cast.report,
    Ban: cast.ban,
    Tag: cast.tag,
  };
  return (_field, { name }, type) => {
    const id = type in byType ? (byType[type] ?? "0") : undefined;
    if (name === "id") return literal(id);
    if (name === "nodeId") {
      // The audit trail's key has two columns. Its lists show whether others than admins see entries.
      const key = type === "AuditEntry" ? ["2026-01-01T00:00:00Z", "1"] : [id ?? "0"];
      return literal(Buffer.from(JSON.stringify([type, ...key])).toString("base64"));
    }
    if (name === "chatId") return literal(cast.chat ?? "0");
    if (name === "name" && type === "Tag") return literal(cast.tagName ?? "none");
    if (name === "slug") return literal(cast.draftSlug ?? "none");
    if (name === "tag") return literal(cast.tagName ?? "none");
    if (name === "authorId") return literal(cast.owner ?? "0");
    if (name === "text") return literal(cast.draftTitle ?? "none");
    return undefined;
  };
}

function literal(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

const refusals = new Set(["NOT_FOUND", "UNAUTHORIZED"]);

async function look(ask: Ask, userId: string | null, paths: Path[], untried: string[]): Promise<[Path, Shown][]> {
  const { data, errors } = await ask(writeOperation(paths), userId);
  for (const { path: [alias] = [], extensions, message } of errors ?? []) {
    const failed = paths[Number(String(alias).slice(1))];
    if (failed && !refusals.has(extensions.code)) untried.push(`${nameOf(failed)}: ${message}`);
  }
  if (!data) throw new Error(`A path could not be queried: ${errors?.[0]?.message}`);
  return paths.map((path, i) => {
    const shown = emptyShown();
    collect(data[`p${i}`], shown);
    return [path, shown];
  });
}

function emptyShown(): Shown {
  return { ids: new Map(), texts: new Set() };
}

function merge(into: Shown, { ids, texts }: Shown): Shown {
  for (const [type, values] of ids) into.ids.set(type, new Set([...(into.ids.get(type) ?? []), ...values]));
  for (const text of texts) into.texts.add(text);
  return into;
}

/** Fields that contain the id of another object, such as an InboxEntry's chat. */
const referred = new Map([
  ["postId", "Post"],
  ["commentId", "Comment"],
  ["chatId", "Chat"],
  ["messageId", "Message"],
  ["tagId", "Tag"],
]);

function collect(value: unknown, shown: Shown): void {
  if (typeof value === "string") shown.texts.add(value);
  if (value === null || typeof value !== "object") return;
  const { __typename: type, id, ...others } = value as Record<string, unknown>;
  if (typeof type === "string" && typeof id === "string") {
    shown.ids.set(type, (shown.ids.get(type) ?? new Set()).add(id));
  }
  for (const [key, inner] of Object.entries(others)) {
    const kind = referred.get(key);
    collect(kind && typeof inner === "string" ? { __typename: kind, id: inner } : inner, shown);
  }
}

function nameOf(path: Path): string {
  return path
    .map(({ name, arguments: given }) => {
      const args = Object.entries(given).map(([key, value]) => `${key}: ${value}`);
      return args.length > 0 ? `${name}(${args.join(", ")})` : name;
    })
    .join(".");
}
