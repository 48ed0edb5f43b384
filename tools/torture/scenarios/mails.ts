import { setTimeout as delay } from "node:timers/promises";
import { MailServer } from "../../support/MailServer.ts";
import type { Arena } from "../Arena.ts";
import { Service } from "../Service.ts";
import type { Outcome } from "./Outcome.ts";

interface MailFaults {
  mails: number;
  /** How often each kind of fault happens: a kill of a service, an interruption of the database, an end of the mail server. */
  rounds: number;
  interruptDatabase: () => Promise<void>;
}

/**
 * Two services send mails while each of them, the database and the mail server are killed. A mail is lost if it never arrives. One may arrive
 * twice if it was being sent when something was killed: nobody knows what became of it.
 */
export async function mails(arena: Arena, { mails, rounds, interruptDatabase }: MailFaults): Promise<Outcome> {
  await using ends = new AsyncDisposableStack();
  const server = await new MailServer().start();
  ends.defer(() => server.stop());
  const settings = { SMTP_URL: server.url, MAIL_FROM: "hello@example.com", APP_URL: "https://example.com" };
  const start = async () => {
    const service = new Service();
    await service.start(arena.database.apiUrl, settings);
    return service;
  };
  const services = [await start(), await start()];
  ends.defer(async () => {
    await Promise.all(services.map((service) => service.stop()));
  });
  await arena.query("delete from app_private.mail_outbox");
  const arrivals = () => {
    const counts = new Map<string, number>();
    for (const { envelopeTo } of server.mails) {
      for (const email of envelopeTo) counts.set(email, (counts.get(email) ?? 0) + 1);
    }
    return counts;
  };
  const inDoubt = new Set<string>();
  /** Notes the mails that were being sent when something was killed. */
  const noteDoubts = async () => {
    const rows = await arena.query<{ email: string }>("select email from app_private.mail_outbox where due_at > now()");
    for (const { email } of rows) inDoubt.add(email);
  };

  const startedAt = performance.now();
  await arena.query(
    `insert into app_private.mail_outbox (kind, email, token, expires_at)
     select 'RESET_PASSWORD', 'user' || n || '@example.com', 'token' || n, now() + interval '1 hour' from generate_series(1, $1) n`,
    [mails],
  );
  await arena.query("notify mail_outbox");
  const faults: (() => Promise<void>)[] = [
    async () => {
      await interruptDatabase();
      await noteDoubts();
    },
    async () => {
      await server.stop();
      await noteDoubts();
      await server.start();
      await arena.query("notify mail_outbox");
    },
    async () => {
      // The first kill leaves the other service.
      if (services.length < 2) services.push(await start());
      await services.shift()?.kill();
      await noteDoubts();
    },
  ];
  const share = mails / (rounds * faults.length + 1);
  for (let fault = 0; fault < rounds * faults.length; fault++) {
    // In the middle of the work, not after it.
    while (server.mails.length < share * (fault + 1)) {
      await arena.query("update app_private.mail_outbox set due_at = now() where refusal is not null");
      await delay(20);
    }
    await faults[fault % faults.length]?.();
  }
  // Mails that killed services had claimed are due minutes later. When nothing is sent any more, these can be due at once.
  const leases = await untilIdle();
  await noteDoubts();
  await arena.query("update app_private.mail_outbox set due_at = now()");
  await arena.query("notify mail_outbox");
  while ((await arena.query("select from app_private.mail_outbox")).length > 0) await delay(20);
  const seconds = (performance.now() - startedAt) / 1_000;

  const arrived = arrivals();
  const twice = [...arrived].filter(([, count]) => count > 1).map(([email]) => email);
  const ids = new Set(server.mails.map(({ messageId }) => messageId));
  const counts = {
    mails,
    lost: mails - arrived.size,
    twice: twice.length,
    inDoubt: inDoubt.size,
    twiceWithoutReason: twice.filter((email) => !inDoubt.has(email)).length,
    twiceWithAnotherId: ids.size - arrived.size,
    kills: rounds * faults.length,
  };
  const { lost, twiceWithoutReason, twiceWithAnotherId } = counts;
  return {
    title: `two services send ${mails} mails; each, the database and the mail server are killed`,
    counts,
    note: `${Math.round(mails / seconds)} mails a second, kills included; ${leases} were claimed by killed services`,
    isGood: lost === 0 && twiceWithoutReason === 0 && twiceWithAnotherId === 0,
  };

  /** Waits until only mails are left that killed services had claimed. @returns their number */
  async function untilIdle(): Promise<number> {
    for (;;) {
      await arena.query("update app_private.mail_outbox set due_at = now() where refusal is not null");
      await arena.query("notify mail_outbox");
      const [left] = await arena.query<{ claimed: number; all: number }>(
        `select count(*) filter (where due_at > now() and refusal is null)::int as claimed, count(*)::int as all from app_private.mail_outbox`,
      );
      const { length } = server.mails;
      await delay(500);
      if (left && left.claimed === left.all && server.mails.length === length) return left.claimed;
    }
  }
}
