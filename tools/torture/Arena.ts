import { MultiHostClient } from "@content-service/support/MultiHostClient.ts";
import type pg from "pg";
import { Listener } from "./Listener.ts";
import type { Service } from "./Service.ts";

/** The connection strings of the database under test. */
export interface ArenaDatabase {
  readonly ownerUrl: string;
  readonly apiUrl: string;
  /** Runs SQL as the owner, where no fault breaks the owner's connections. Without it, each statement has a new one. */
  query?<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** The service under test, its database, and its users. */
export class Arena {
  readonly database: ArenaDatabase;
  readonly service: Service;
  #userIds: string[] = [];

  constructor(database: ArenaDatabase, service: Service) {
    this.database = database;
    this.service = service;
  }

  /** Runs SQL as the owner. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    if (this.database.query) return this.database.query<Row>(sql, values);
    const client = new MultiHostClient({ connectionString: this.database.ownerUrl });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Creates a chat with that many members. */
  async openChat(members: number): Promise<string> {
    const userIds = await this.users(members);
    const [chat] = await this.query<{ id: string }>("insert into app_public.chats default values returning id");
    await this.query("insert into app_public.chat_members (chat_id, user_id) select $1, unnest($2::bigint[])", [
      chat?.id,
      userIds,
    ]);
    return chat?.id as string;
  }

  /** Starts a listener for each of the first `count` users, and waits until all of them are subscribed. */
  async listen(chatId: string, count: number, followsInbox = true): Promise<Listener[]> {
    const users = this.#userIds.slice(0, count);
    const listeners: Listener[] = [];
    for (const userId of users) {
      const { token } = await this.service.sign(userId, 3_600);
      listeners.push(new Listener(this.service.url, token, chatId, followsInbox));
    }
    await this.service.untilListening(followsInbox ? 2 * count : count);
    return listeners;
  }

  /** The ids of the messages of a chat, in order. */
  async written(chatId: string): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      "select id from app_public.messages where chat_id = $1 order by number",
      [chatId],
    );
    return rows.map(({ id }) => id);
  }

  /** The ids of the first `count` users. Creates the missing ones. */
  async users(count: number): Promise<string[]> {
    const missing = count - this.#userIds.length;
    if (missing > 0) await this.#makeUsers(missing);
    return this.#userIds.slice(0, count);
  }

  async #makeUsers(count: number): Promise<void> {
    const rows = await this.query<{ id: string }>(
      `with made as (insert into app_public.users (name) select 'User ' || n from generate_series(1, $1) n returning id)
       insert into app_private.accounts (user_id, email) select id, 'torture' || id || '@example.com' from made
       returning user_id as id`,
      [count],
    );
    this.#userIds.push(...rows.map(({ id }) => id));
  }

  /** The titles of all posts. */
  async titles(): Promise<string[]> {
    return (await this.query<{ title: string }>("select title from app_public.posts")).map(({ title }) => title);
  }
}
