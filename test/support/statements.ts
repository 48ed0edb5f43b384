import pg from "pg";

export interface Statement {
  text: string;
  values: unknown[];
  /** The statement that set the role and the caller for this one's transaction, or would set the role of its connection. */
  identity: Statement | undefined;
  /** The application_name of its connection: the pool's, or the listener's, whose heartbeat comes at any time. */
  application: string | undefined;
}

/** A client with what node-postgres has but does not declare. */
type ConfiguredClient = pg.Client & { connectionParameters: { application_name?: string; options?: string } };

/** A query of pg-caller-pool that sends several statements under one Sync. */
interface SeveralStatements {
  statements: readonly { text: string; values: readonly unknown[] }[];
}

/** The role that a connection has from its start: see packages/caller-pool/pool.ts. */
const restingRole = /-c role=(\w+)/;
/** See src/database/requestAccess.ts. */
const setsIdentity = /^select set_config\('role'/;
/** Part of every request, whatever the request asks for: see src/database/requestAccess.ts. */
const framework = /^(begin|commit|rollback|deallocate|$)/;
/** Run every few seconds, whatever a test does: see src/maintenance/publishDuePosts.ts and change-feed's WebhookSender. */
const timed = /^select .* from \w+\.(publish_due_posts|record_inbox_changes|sendable_webhooks)\(/;

/** Runs `act` and returns the statements that reached PostgreSQL meanwhile, without those of every request and every second. */
export async function recordStatements(act: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const identities = new WeakMap<pg.Client, Statement>();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [given] = args as [string | SeveralStatements | { text: string; values?: unknown[] }];
    const { application_name: application, options = "" } = (this as ConfiguredClient).connectionParameters;
    const [, role] = restingRole.exec(options) ?? [];
    const resting = role && {
      text: "select set_config('role', $1, true)",
      values: [role],
      identity: undefined,
      application,
    };
    const several = typeof given === "object" && "statements" in given;
    if (several || given === "begin") identities.delete(this);
    const sent = several ? given.statements : [typeof given === "string" ? { text: given } : given];
    for (const each of sent) {
      const { text, values = [] } = each as { text: string; values?: unknown[] };
      const statement = { text, values, identity: identities.get(this) ?? resting, application } as Statement;
      if (setsIdentity.test(text)) identities.set(this, { ...statement, identity: undefined });
      else if (!framework.test(text) && !timed.test(text)) statements.push(statement);
    }
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as never;
  try {
    await act();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}

/** The texts of the statements that `recordStatements` finds. */
export async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
  return (await recordStatements(act)).map(({ text }) => text);
}
