import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { parse } from "pg-connection-string";
import { cloneDatabase } from "./cloneDatabase.ts";
import { readCommitted } from "./migrations/committed.ts";
import type { Migrations } from "./migrations/settings.ts";

/** The comment of a shadow database. A hook of the migrations may give it a similar one. */
const marker = "The shadow database of graphile-migrate-review. Its commands drop and rebuild it.";
const markers = /^The (template of a )?shadow database of /;
/** Followed by the state of the template. */
const templateMarker =
  "The template of a shadow database of graphile-migrate-review. Its commands drop and rebuild it. State: ";

/**
 * The server of a shadow database, seen from another database of it. Beside the shadow database there is its template: the
 * same database after the committed migrations. Its comment names its state, which identifies everything that it was made from.
 */
export class ShadowServer {
  readonly #root: pg.ClientBase;
  readonly #url: string;
  readonly #name: string;
  readonly #template: string;

  constructor(root: pg.ClientBase, shadowUrl: string) {
    this.#root = root;
    this.#url = shadowUrl;
    this.#name = parse(shadowUrl).database ?? "";
    // A name has at most 63 bytes.
    this.#template = `${this.#name.slice(0, 54)}_template`;
  }

  /**
   * The states that the database passes through: after none of the committed migrations of a folder, after the first one, and so
   * on.
   */
  async statesOf({ folder: migrationsFolder, settings }: Migrations): Promise<string[]> {
    const folder = join(migrationsFolder, "hooks");
    const files = (await readdir(folder).catch(() => [])).sort();
    const hooks = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
    const server = await this.#select(
      `select current_setting('server_version_num') as version, rolname, rolsuper, rolcreaterole, rolbypassrls
         from pg_catalog.pg_roles where rolname = current_user`,
    );
    const states = [hash([server, settings, hooks])];
    for (const { filename, body } of await readCommitted(migrationsFolder)) {
      states.push(hash([states.at(-1), filename, body]));
    }
    return states;
  }

  /** @returns undefined when there is no template of this owner's own */
  async templateState(): Promise<string | undefined> {
    const { comment, isOwn } = (await this.#find(this.#template)) ?? {};
    return isOwn && comment?.startsWith(templateMarker) ? comment.slice(templateMarker.length) : undefined;
  }

  /** Lets the database be dropped the next time. */
  async mark(): Promise<void> {
    await this.#root.query(`comment on database ${pg.escapeIdentifier(this.#name)} is ${pg.escapeLiteral(marker)}`);
  }

  /** Replaces the shadow database by a clone of its template. */
  async clone(): Promise<void> {
    await this.#drop(this.#name);
    await cloneDatabase(this.#root, this.#template, this.#name, marker);
  }

  /** A statement of a command that has ended may still run there. PostgreSQL waits for it for five seconds each time. */
  async #drop(name: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#root.query(`drop database if exists ${pg.escapeIdentifier(name)}`);
        return;
      } catch (error) {
        if ((error as pg.DatabaseError).code !== "55006" || attempt === 12) throw error;
      }
    }
  }

  /**
   * Makes the shadow database its own template, and a clone of it the shadow database. Without effect when the database has
   * settings (`alter database … set`), which a clone would not have.
   */
  async keep(state: string): Promise<void> {
    const settings = "select from pg_catalog.pg_db_role_setting s join pg_catalog.pg_database d on d.oid = setdatabase";
    if ((await this.#select(`${settings} where datname = $1::name`, [this.#name])).length > 0) return;
    // For clone(), which may be killed before it gives the database its comment.
    await withClient(this.#url, (client) => client.query(`comment on schema graphile_migrate is '${marker}'`));
    const [name, template] = [this.#name, this.#template].map(pg.escapeIdentifier);
    await this.#drop(this.#template);
    await this.#root.query(`alter database ${name} rename to ${template}`);
    await this.#root.query(`comment on database ${template} is '${templateMarker}${state}'`);
    await this.clone();
  }

  /**
   * Before any database is dropped. The database itself says what it is: connection strings may name one database in many ways.
   *
   * @throws OperatorError when the shadow database or its template is another database, with content
   */
  async requireErasable(): Promise<void> {
    for (const name of [this.#name, this.#template]) await this.#requireErasable(name);
  }

  async #requireErasable(name: string): Promise<void> {
    const found = await this.#find(name);
    if (!found || markers.test(found.comment ?? "")) return;
    const isErasable = await withClient(changeConnection(this.#url, { database: name }), async (client) => {
      const { rows } = await client.query<{ comment: string | null; isEmpty: boolean }>(
        `select obj_description(to_regnamespace('graphile_migrate'), 'pg_namespace') as comment,
                not exists (select from pg_catalog.pg_class
                             where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)') as "isEmpty"`,
      );
      return markers.test(rows[0]?.comment ?? "") || rows[0]?.isEmpty === true;
    });
    if (isErasable) return;
    throw new OperatorError(
      `SHADOW_DATABASE_URL: the database ${name} has content and is not marked as a shadow database, so it is not ` +
        `dropped. Name another one; it is created. If this is an old shadow database: drop database ${name}`,
    );
  }

  /** Before the old shadow database is dropped. */
  async requireCreator(): Promise<void> {
    const [owner] = await this.#select<{ name: string }>(
      "select quote_ident(rolname) as name from pg_catalog.pg_roles where rolname = current_user and not rolsuper and not rolcreatedb",
    );
    if (!owner) return;
    throw new OperatorError(
      "The owner may not create databases, which the shadow database needs. " +
        `Let a superuser run: alter role ${owner.name} createdb`,
    );
  }

  async #find(name: string): Promise<{ comment: string | null; isOwn: boolean } | undefined> {
    const [found] = await this.#select<{ comment: string | null; isOwn: boolean }>(
      `select shobj_description(oid, 'pg_database') as comment, pg_get_userbyid(datdba) = current_user as "isOwn"
         from pg_catalog.pg_database where datname = $1::name`,
      [name],
    );
    return found;
  }

  async #select<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#root.query<Row>(text, values)).rows;
  }
}

function hash(parts: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
