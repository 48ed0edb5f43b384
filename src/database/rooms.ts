import type pg from "pg";
import { endPool, type Log, type Route } from "pg-caller-pool";
import { createRequestPool, type RequestPoolSettings } from "./requestAccess.ts";
import { roles } from "./roles.ts";

/** How many connections a room has at most, and how long a statement may run and wait for a lock. Times are in milliseconds. */
export interface Room {
  size: number;
  lockTimeoutMs: number;
  statementTimeoutMs: number;
}

/** Of a lock that work in the background meets. It is tried again later. */
const backgroundLockMs = 1_000;
/** A probe waits for a second. */
const probeMs = 1_000;

/**
 * The rooms: each kind of work has connections of its own, so that none waits behind another. docs/connections.md says who uses them, and
 * what happens when one is full, locked, slow or gone. A test compares the two.
 */
export function roomsOf({ poolSize, lockTimeoutMs = 0, statementTimeoutMs }: RequestPoolSettings) {
  const background = { lockTimeoutMs: backgroundLockMs, statementTimeoutMs };
  return {
    requests: { size: poolSize, lockTimeoutMs, statementTimeoutMs },
    probes: { size: 2, lockTimeoutMs: probeMs, statementTimeoutMs: probeMs },
    checks: { size: 2, ...background },
    upkeep: { size: 3, ...background },
    webhooks: { size: 3, ...background },
    mails: { size: 1, ...background },
  } satisfies Record<string, Room>;
}

export type RoomName = keyof ReturnType<typeof roomsOf>;

/** As PostgreSQL shows the connections of a room. */
export function applicationNameOf(room: string): string {
  return room === "requests" ? "content-service" : `content-service ${room}`;
}

/** Opens no connection yet. */
export function openRooms(
  started: AsyncDisposableStack,
  settings: RequestPoolSettings,
  log: Log,
  route: Route,
): Record<RoomName, pg.Pool> {
  const open = ([name, { size, ...bounds }]: [string, Room]) => {
    const applicationName = applicationNameOf(name);
    // The connections of requests stay open. Of the others, one does.
    const own = name === "requests" ? { restingRole: roles.anonymous } : { keptOpen: 1 };
    const pool = createRequestPool({ ...settings, ...bounds, ...own, poolSize: size, applicationName }, log, route);
    started.defer(() => endPool(pool));
    return [name, pool] as const;
  };
  return Object.fromEntries(Object.entries(roomsOf(settings)).map(open)) as Record<RoomName, pg.Pool>;
}
