import { setTimeout as delay } from "node:timers/promises";
import { holdLock } from "../../support/holdLock.ts";
import type { Arena } from "../Arena.ts";
import { type CallOutcome, calls } from "./calls.ts";

/** A request that takes longer has waited for the lock. */
const longestMs = 1_000;

/** As at the end of a month: the audit trail has no partition for the time ahead, and a reader holds the whole trail. */
export async function monthEnd(arena: Arena, forMs: number): Promise<CallOutcome> {
  await arena.query(`
    do $do$ declare v_partition regclass; begin
      for v_partition in
        select inhrelid::regclass from pg_inherits join pg_class on pg_class.oid = inhrelid
         where inhparent = 'app_public.audit_trail'::regclass and relname ~ '\\d{4}_\\d{2}$'
      loop
        execute format('drop table %s', v_partition);
      end loop;
    end $do$`);
  const reader = await holdLock(arena.database.ownerUrl, "lock app_public.audit_trail in access share mode");
  // The callers begin while the lock is held. Its release must not depend on their success.
  const released = delay(forMs).then(() => reader.release());
  const title = `a reader holds the audit trail for ${forMs / 1_000} s while it has no partition: no write may wait`;
  const outcome = await calls(arena, title, 1, () => released);
  const { refused, slowestSuccessMs } = outcome.counts;
  return { ...outcome, isGood: outcome.isGood && refused === 0 && slowestSuccessMs <= longestMs };
}
