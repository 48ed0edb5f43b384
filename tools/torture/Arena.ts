import pg from "pg";
import { Listener } from "./Listener.ts";
import type { Service } from "./Service.ts";

/** The database that is fought over. */
export interface ArenaDatabase {
  ownerUrl: string;
  apiUrl: string;
  /** Ends it and starts it again, with what is in it. */
  restart(): Promise<void>;
  /** Ends it, and starts it again so many milliseconds later. */
  absent(ms: number): Promise<void>;
}

/** A service under torture, its database, and the users who listen. */
export class Arena {
  readonly database: ArenaDatabase;
  readonly service: Service;
  #userIds: string[] = [];

  constructor(database: ArenaDatabase, service: Service) {
    this.database = database;
    this.service = service;
  }

  /** Runs SQL as the owner, on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.database.ownerUrl });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** A new chat of that many users. */
  async openChat(members: number): Promise<string> {
    const userIds = await this.users(members);
    const [chat] = await this.query<{ id: string }>("insert into app_public.chats default values returning id");
    await this.query("insert into app_public.chat_members (chat_id, user_id) select $1, unnest($2::bigint[])", [
      chat?.id,
      userIds,
    ]);
    return chat?.id as string;
  }

  /** One listener for each of the first `count` users, when the service has them all. */
  async listen(chatId: string, count: number): Promise<Listener[]> {
    const users = this.#userIds.slice(0, count);
    const listeners: Listener[] = [];
    for (const userId of users) {
      const { token } = await this.service.sign(userId, 3_600);
      listeners.push(new Listener(this.service.url, token, chatId));
    }
    await this.service.untilListening(count);
    return listeners;
  }

  /** The ids of a chat's messages, in the order of their numbers. */
  async written(chatId: string): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      "select id from app_public.messages where chat_id = $1 order by number",
      [chatId],
    );
    return rows.map(({ id }) => id);
  }

  /** The ids of the first so many users, made where there are not as many. */
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
}
