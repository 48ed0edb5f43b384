import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { TestDatabase } from "@content-service/testing/database.ts";
import { createClient } from "graphql-ws";
import pg from "pg";
import { type Project, root, run } from "./archives.ts";

/** The tests of examples/adopt where it is installed. */
export function testExample(installed: () => Project, server: () => TestDatabase): void {
  const shop = () => server().url.replace("/postgres?", "/adopt?");
  const ask = async (url: string, query: string, customer = "1") => {
    const headers = { "Content-Type": "application/json", "x-customer": customer };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) })).json();
  };

  test("marks what each package adds, in at most ten lines", async () => {
    const folder = join(root, "examples/adopt");
    const names = (await run(root, "git", ["ls-files", "--", folder])).trim().split("\n");
    const counts = addedLines(await Promise.all(names.map((name) => readFile(join(root, name), "utf8"))));
    expect(Object.keys(counts).sort()).toEqual(
      installed()
        .archives.map(({ name }) => name)
        .sort(),
    );
    for (const lines of Object.values(counts)) expect(lines).toBeLessThanOrEqual(10);
    const page = await readFile(join(folder, "README.md"), "utf8");
    for (const [name, lines] of Object.entries(counts))
      expect(page).toMatch(new RegExp(`\\[${name}\\].*\\) \\| ${lines} \\|`));
  });

  test("says what it needs without DATABASE_URL", async () => {
    await expect(run(installed().directory, process.execPath, ["server.mjs"], { DATABASE_URL: "" })).rejects.toThrow(
      /:\nSet DATABASE_URL to the owner of an empty database.*\n$/,
    );
  });

  test("starts twice, reads, writes and follows rows of SQL, each as its customer", async () => {
    await server().query("create database adopt");
    await (await startExample(installed(), shop()))[Symbol.asyncDispose]();
    await using example = await startExample(installed(), shop());
    expect(await ask(example.url, "{ products { name price } orders { id } }")).toEqual({
      data: {
        products: [
          { name: "Lamp", price: "19.90" },
          { name: "Chair", price: "49.00" },
        ],
        orders: [],
      },
    });
    const mutation = "mutation { placeOrder(productId: 1, quantity: 2) { id customer { name } product { name } } }";
    expect(await ask(example.url, mutation)).toEqual({
      data: { placeOrder: { id: 1, customer: { name: "Ada" }, product: { name: "Lamp" } } },
    });
    expect(await ask(example.url, "{ orders { id } }", "2")).toEqual({ data: { orders: [] } });

    const client = createClient({
      url: example.url.replace("http", "ws"),
      webSocketImpl: WebSocket,
      connectionParams: { "x-customer": "1" },
    });
    const follow = (query: string) => client.iterate({ query });
    const orders = follow("subscription { orderAdded(customerId: 1, after: 0) { id quantity } }");
    expect((await orders.next()).value).toMatchObject({ data: { orderAdded: { id: 1, quantity: 2 } } });
    const owner = new pg.Client(shop());
    await owner.connect();
    await owner.query("insert into shop.orders (customer_id, product_id, quantity) values (2, 1, 1), (1, 2, 7)");
    await owner.end();
    expect((await orders.next()).value).toMatchObject({ data: { orderAdded: { id: 3, quantity: 7 } } });
    await orders.return?.();
    await expect(follow("subscription { orderAdded(customerId: 2) { id } }").next()).rejects.toMatchObject([
      { extensions: { code: "NOT_FOUND" } },
    ]);
    await client.dispose();
  });

  test("a new migration of it is reviewed", async () => {
    const given = { DATABASE_URL: shop(), SHADOW_DATABASE_URL: server().url.replace("/postgres?", "/adopt_shadow?") };
    const change =
      "alter table shop.products add column note text;\nset local app.is_import = 'on'; truncate shop.orders;\n";
    await writeFile(join(installed().directory, "migrations/current/1-current.sql"), change);
    await expect(run(installed().directory, "npx", ["graphile-migrate-review", "check"], given)).rejects.toThrow(
      /refused +shop\.orders is truncated.*\nRefused: truncate:shop\.orders\n/s,
    );
  });
}

interface RunningExample extends AsyncDisposable {
  url: string;
}

/** Starts examples/adopt where it is installed. @throws with what it has printed, unless it prints its URL */
async function startExample({ directory }: Project, DATABASE_URL: string): Promise<RunningExample> {
  const PATH = `${dirname(process.execPath)}:${process.env["PATH"]}`;
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: directory,
    env: { PATH, DATABASE_URL, PORT: "0", GRAPHILE_ENV: "development" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  let url = "";
  for await (const line of createInterface(child.stdout)) {
    url = /^http:\S+$/.exec(line)?.[0] ?? "";
    if (url) break;
  }
  if (!url) {
    await ended;
    throw new Error(errors);
  }
  child.stdout.resume();
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** The lines of examples/adopt that a package has added, by its name: those of its regions. */
function addedLines(texts: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) {
    for (const [, name = "", lines = ""] of text.matchAll(/#region (\S+)\n(.*?)^[^\n]*#endregion/gms)) {
      counts[name] = (counts[name] ?? 0) + lines.trimEnd().split("\n").length;
    }
  }
  return counts;
}
