import { buildClientSchema, getIntrospectionQuery } from "graphql";
import type pg from "pg";
import type { Answer } from "../support/post.ts";
import { type Cast, chooseFrom } from "./cast.ts";
import { type Forbidden, forbiddenAmong, type Shown } from "./forbidden.ts";
import { everyPath, type Guess, type Path } from "./paths.ts";
import { pathsAtOnce, writeOperation } from "./writeOperation.ts";

/** Sends a query as the user with that id, or as an anonymous caller. */
export type Ask = (query: string, userId: string | null) => Promise<Answer>;

/** `anonymous`, `stranger`, `owner`, `admin`, or another role. */
export type Viewer = string;

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

/** The kind of a leak by a number. */
export const miscounted = "number of children";
/** How many fields the longest paths have. */
export const defaultLength = 6;
/** How many paths are queried before their answers are checked and forgotten. */
const pathsBetweenChecks = 100;

/**
 * Queries every path of the schema that leads to an object with an id, as four viewers and one of each other role, and reports everything that the
 * permission table forbids: drafts, their comments and tags, emails and messages of others, reports and bans, by id, by text, and by
 * a number that counts more children than the viewer is shown.
 *
 * @param database a connection of the owner, to know what is hidden
 * @param length how many fields the longest paths have
 * @param lengthsOfEnd of everyPath()
 */
export async function findLeaks(
  ask: Ask,
  database: pg.Pool,
  length = defaultLength,
  lengthsOfEnd?: number,
): Promise<Findings> {
  const cast = await chooseFrom(database);
  const { data } = await ask(getIntrospectionQuery(), null);
  if (!data) throw new Error("The service refuses introspection. Set INTROSPECTION=true while you search for leaks.");
  const { paths, untried } = everyPath(buildClientSchema(data), length, guesses(cast), lengthsOfEnd);
  const viewers: [Viewer, string | null][] = [
    ["anonymous", null],
    ["stranger", cast.stranger],
    ["owner", cast.owner],
    ["admin", cast.admin],
    ...Object.entries(cast.others),
  ];
  const findings: Findings = { cast, paths: paths.length, leaks: [], shown: {} as Findings["shown"], untried };
  const asked = viewers.filter(([viewer, userId]) => viewer === "anonymous" || userId !== null);
  const everything = new Map(viewers.map(([viewer]) => [viewer, emptyShown()]));
  const tooMuch = new Set<string>();
  for (const some of inBatches(likeTogether(paths), pathsBetweenChecks)) {
    const search = async ([viewer, userId]: [Viewer, string | null]): Promise<Leak[]> => {
      const seen: [Path, Shown][] = [];
      for (const few of inBatches(some, pathsAtOnce)) seen.push(...(await look(ask, userId, few, untried, tooMuch)));
      const together = seen.map(([, shown]) => shown).reduce(merge, emptyShown());
      merge(everything.get(viewer) as Shown, together);
      const forbidden = await forbiddenAmong(database, userId, together);
      return seen.flatMap(([path, shown]) =>
        [
          ...forbidden.filter((what) => isIn(shown, what)),
          ...[...shown.miscounts].map((text) => ({ kind: miscounted, id: "", text })),
        ].map((what) => ({ ...what, viewer, path: nameOf(path) })),
      );
    };
    // The first viewer finds out which paths are too much for one request.
    const [first, ...others] = asked;
    findings.leaks.push(...(first ? await search(first) : []), ...(await Promise.all(others.map(search))).flat());
  }
  for (const [viewer, { ids }] of everything) {
    findings.shown[viewer] = Object.fromEntries([...ids].map(([type, { size }]) => [type, size]));
  }
  return findings;
}

function isIn({ ids, texts }: Shown, { kind, id, text }: Forbidden): boolean {
  return text === null ? (ids.get(kind)?.has(id) ?? false) : texts.has(text);
}

/**
 * Paths of which the service compiles the same ones come together: it leaves a whole operation to the engine for one field that it
 * does not compile.
 */
function likeTogether(paths: Path[]): Path[] {
  const key = (path: Path) => `${path[0]?.countArgument ? "list" : "object"} ${path.at(-1)?.type.name}`;
  return [...Map.groupBy(paths, key).values()].flat();
}

function inBatches<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
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
    const nodeId = literal(Buffer.from(JSON.stringify([type, id ?? "0"])).toString("base64"));
    if (name === "nodeId") return nodeId;
    if (name === "nodeIds") return `[${nodeId}]`;
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

/** @param tooMuch the queries that the service has refused, because they cost more than its limits allow */
async function look(
  ask: Ask,
  userId: string | null,
  paths: Path[],
  untried: string[],
  tooMuch: Set<string>,
): Promise<[Path, Shown][]> {
  const query = writeOperation(paths);
  const { data, errors } = tooMuch.has(query) ? {} : await ask(query, userId);
  if (!data && paths.length > 1) {
    tooMuch.add(query);
    const seen = inBatches(paths, Math.ceil(paths.length / 2)).map((half) => look(ask, userId, half, untried, tooMuch));
    return (await Promise.all(seen)).flat();
  }
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
  return { ids: new Map(), texts: new Set(), miscounts: new Set() };
}

function merge(into: Shown, { ids, texts, miscounts }: Shown): Shown {
  for (const [type, values] of ids) into.ids.set(type, new Set([...(into.ids.get(type) ?? []), ...values]));
  for (const text of texts) into.texts.add(text);
  for (const miscount of miscounts) into.miscounts.add(miscount);
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
  for (const miscount of miscountsOf(others)) shown.miscounts.add(`${type} ${id ?? ""}: ${miscount}`);
  for (const [key, inner] of Object.entries(others)) {
    const kind = referred.get(key);
    collect(kind && typeof inner === "string" ? { __typename: kind, id: inner } : inner, shown);
  }
}

/** A number is compared with the rows of a list that is shown whole, and `commentsCount` with `commentsConnection`. */
function miscountsOf(value: Record<string, unknown>): string[] {
  const found: string[] = [];
  const { totalCount, pageInfo, nodes, edges } = value as ShownConnection;
  const rows = nodes ?? edges;
  const whole = rows && pageInfo?.hasNextPage === false;
  if (whole && totalCount !== undefined && totalCount !== rows.length) {
    found.push(`totalCount is ${totalCount} of ${rows.length}`);
  }
  for (const [key, inner] of Object.entries(value)) {
    const total = (inner as ShownConnection | null)?.totalCount;
    const name = key.replace(/Connection$/, "Count");
    if (total !== undefined && typeof value[name] === "number" && value[name] !== total) {
      found.push(`${name} is ${value[name]} of ${total}`);
    }
  }
  return found;
}

interface ShownConnection {
  totalCount?: number;
  pageInfo?: { hasNextPage: boolean };
  nodes?: unknown[];
  edges?: unknown[];
}

function nameOf(path: Path): string {
  return path
    .map(({ name, arguments: given }) => {
      const args = Object.entries(given).map(([key, value]) => `${key}: ${value}`);
      return args.length > 0 ? `${name}(${args.join(", ")})` : name;
    })
    .join(".");
}
