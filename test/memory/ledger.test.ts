import { type Account, ByteLedger, type Held, type Kind, type UnreadBytes } from "../../src/memory/ByteLedger.ts";

/* The memory of all clients has one bound. What finds no room waits or is refused, and who does not read is cut. */
const impatient = { maxWaitMs: 0, stallMs: 0 };
const patient = { maxWaitMs: 600_000, stallMs: 600_000 };
const limited = expect.objectContaining({ code: "RATE_LIMITED" });
const unavailable = expect.objectContaining({ code: "SERVICE_UNAVAILABLE" });
const total = (ledger: ByteLedger) => Object.values(ledger.held).reduce((sum, bytes) => sum + bytes, 0);

function added(account: Account, bytes: number, kind: Kind = "requests"): Held {
  const held = account.hold(kind);
  held.add(bytes);
  return held;
}

/** Reserves for an event. `isThere` is true once the bytes are. */
function reserved(account: Account, bytes: number, signal?: AbortSignal) {
  const held = account.hold("results");
  const waiting = held.reserve(bytes, signal, false);
  const reservation = { held, isThere: waiting === undefined, waiting };
  waiting?.then(
    () => {
      reservation.isThere = true;
    },
    () => {},
  );
  return reservation;
}

/** Lets admitted reservations go on. */
const turn = () => new Promise(setImmediate);

describe("shares", () => {
  test("a client may hold as many bytes as are free: half when it is alone, a third beside another one", () => {
    const ledger = new ByteLedger(600, patient);
    const [one, other] = [ledger.account("192.0.2.1"), ledger.account("2001:db8::1")];
    const first = added(one, 200);
    const second = added(one, 100);
    expect(() => added(one, 1)).toThrow(limited);
    second.release();
    added(other, 100);
    expect(() => added(other, 101)).toThrow(limited);
    added(other, 100);
    expect(() => added(one, 1)).toThrow(limited);
    // What was refused does not count.
    expect([ledger.free, total(ledger)]).toEqual([200, 400]);
    first.release();
    expect(ledger.free).toBe(400);
  });

  test("a client that holds nothing is admitted if there is room, and its addresses count as one", () => {
    const ledger = new ByteLedger(600, patient);
    added(ledger.account("192.0.2.1"), 300);
    added(ledger.account("2001:db8::1"), 300);
    expect(() => added(ledger.account("192.0.2.2"), 1)).toThrow(unavailable);
    expect(ledger.free).toBe(0);
    expect(() => added(ledger.account("2001:db8::2"), 1)).toThrow(unavailable);
  });

  test("open subscriptions keep their client from opening more, and not from receiving an event", () => {
    const ledger = new ByteLedger(1_000, patient);
    const client = ledger.account("192.0.2.1");
    added(client, 500, "subscriptions");
    expect(() => added(client, 1, "subscriptions")).toThrow(limited);
    const event = reserved(client, 400);
    expect(event.isThere).toBe(true);
    expect(reserved(client, 60).isThere).toBe(false);
  });

  test("a reservation is never larger than half of all", () => {
    const ledger = new ByteLedger(1_000, patient);
    const { held } = reserved(ledger.account("192.0.2.1"), 5_000);
    expect([held.bytes, ledger.free]).toEqual([500, 500]);
  });
});

describe("waiting", () => {
  test("clients are served in turn, each in its own order, and what fits passes what does not", async () => {
    const ledger = new ByteLedger(1_000, patient);
    const [one, other, third] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((address) => ledger.account(address));
    const blocks = [added(third as Account, 400, "results"), added(ledger.account("192.0.2.4"), 400, "results")];
    const of = (account: Account | undefined, bytes: number) => reserved(account as Account, bytes);
    const waiting = [of(one, 300), of(one, 250), of(other, 300), of(other, 250)];
    const small = of(third, 10);
    expect([...waiting, small].map(({ isThere }) => isThere)).toEqual([false, false, false, false, false]);
    expect(ledger.waiting).toBe(5);
    blocks[0]?.release();
    await turn();
    // The first one of each client that waits, in turn, until all is held.
    expect([...waiting, small].map(({ isThere }) => isThere)).toEqual([true, false, true, false, false]);
    blocks[1]?.release();
    await turn();
    expect([...waiting, small].map(({ isThere }) => isThere)).toEqual([true, false, true, false, true]);
    waiting[0]?.held.release();
    await turn();
    expect(waiting.map(({ isThere }) => isThere)).toEqual([true, true, true, false]);
    for (const { held } of [...waiting, small]) held.release();
    await turn();
    expect(waiting.every(({ isThere }) => isThere)).toBe(true);
    waiting[3]?.held.release();
    expect([total(ledger), ledger.waiting]).toEqual([0, 0]);
  });

  test("a reservation that is given up leaves nothing", async () => {
    const ledger = new ByteLedger(1_000, patient);
    const account = ledger.account("192.0.2.1");
    const block = added(account, 500, "results");
    const given = new AbortController();
    const { waiting } = reserved(account, 400, given.signal);
    given.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(reserved(account, 400, given.signal).waiting).rejects.toThrow("gone");
    block.release();
    expect([total(ledger), ledger.waiting]).toEqual([0, 0]);
  });

  test("a request that waits for too long is refused, and an event is not", async () => {
    const ledger = new ByteLedger(1_000, impatient);
    const account = ledger.account("192.0.2.1");
    const block = added(account, 500, "results");
    const event = reserved(account, 400);
    await expect(account.hold("results").reserve(400, undefined, true)).rejects.toEqual(limited);
    expect(event.isThere).toBe(false);
    block.release();
    await event.waiting;
  });
});

describe("unread bytes", () => {
  /** Connections whose clients read nothing. */
  function behind(ledger: ByteLedger, sizes: [name: string, address: string, bytes: number][]) {
    const cut: string[] = [];
    const connections = sizes.map(([name, address, bytes]) => {
      const unread = ledger.account(address).connect(() => cut.push(name));
      unread.set(bytes);
      return unread;
    });
    return { cut, connections };
  }

  test("the connection that fell behind first is cut, of the client that holds most, when others need the room", () => {
    const ledger = new ByteLedger(1_000, impatient);
    const { cut } = behind(ledger, [
      ["a1", "192.0.2.1", 200],
      ["b", "192.0.2.2", 250],
      ["a2", "192.0.2.1", 200],
    ]);
    expect(cut).toEqual([]);
    expect(reserved(ledger.account("192.0.2.3"), 400).isThere).toBe(true);
    expect(cut).toEqual(["a1"]);
    added(ledger.account("192.0.2.4"), 150);
    expect(cut).toEqual(["a1"]);
    // The client that needs room holds more than the others: none of theirs is cut for it.
    expect(() => added(ledger.account("192.0.2.3"), 100)).toThrow(unavailable);
    expect(cut).toEqual(["a1"]);
  });

  test("a client that falls behind loses its own connections before its other results wait", () => {
    const ledger = new ByteLedger(1_000, impatient);
    const { cut, connections } = behind(ledger, [
      ["a1", "192.0.2.1", 300],
      ["a2", "192.0.2.1", 200],
    ]);
    // It may ask, but the result has no room beside what it has not read.
    added(ledger.account("192.0.2.1"), 100);
    expect(cut).toEqual([]);
    expect(reserved(ledger.account("192.0.2.1"), 100).isThere).toBe(true);
    expect(cut).toEqual(["a1"]);
    // A cut connection counts no more, whatever it reports.
    connections[0]?.set(500);
    expect(ledger.held.unread).toBe(200);
  });

  test("a connection whose client reads is not cut", () => {
    const ledger = new ByteLedger(1_000, { ...impatient, stallMs: 600_000 });
    const { cut, connections } = behind(ledger, [["a", "192.0.2.1", 900]]);
    connections[0]?.set(800);
    expect(reserved(ledger.account("192.0.2.2"), 400).isThere).toBe(false);
    expect(cut).toEqual([]);
  });

  test("writes count until they are done", () => {
    const ledger = new ByteLedger(100_000, patient);
    const unread = ledger.account("192.0.2.1").connect(() => {});
    const sent: (() => void)[] = [];
    let size = 0;
    const write = (bytes: number) =>
      unread.write(
        (done) => {
          size += bytes;
          sent.push(done);
        },
        () => size,
      );
    write(1_000);
    write(500);
    expect(ledger.held.unread).toBe(1_500 + 2 * 512);
    size = 500;
    sent[0]?.();
    expect(ledger.held.unread).toBe(500 + 512);
    unread.close();
    expect(ledger.held.unread).toBe(0);
  });
});

test("turns of a connection are taken one after the other, each once all before it is read", async () => {
  const unread = new ByteLedger(100_000, patient).account("192.0.2.1").connect(() => {});
  const taken: string[] = [];
  const take = (name: string) =>
    unread.turn(() => {
      taken.push(name);
      unread.set(1_000);
    });
  const turns = [take("first"), take("second"), take("third")];
  await turns[0];
  await turn();
  expect(taken).toEqual(["first"]);
  unread.set(0);
  await turns[1];
  expect(taken).toEqual(["first", "second"]);
  unread.close();
  await turns[2];
  expect(taken).toEqual(["first", "second", "third"]);
});

test("whatever clients do, nothing is held or waits at the end, and no more than all is held before", async () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 50; round++) {
    const max = 1_000;
    const ledger = new ByteLedger(max, impatient);
    const helds = new Set<Held>();
    const connections = new Set<UnreadBytes>();
    const leaving: AbortController[] = [];
    const waits: Promise<unknown>[] = [];
    const account = () => ledger.account(`192.0.2.${random(4)}`);
    const any = <Item>(items: Set<Item>) => [...items][random(items.size)];
    const acts = [
      () => {
        const held = account().hold((["requests", "subscriptions"] as const)[random(2)] as Kind);
        helds.add(held);
        try {
          held.add(1 + random(300));
        } catch (error) {
          expect([limited, unavailable]).toContainEqual(error);
        }
      },
      () => {
        const held = account().hold("results");
        const leave = new AbortController();
        leaving.push(leave);
        const waiting = held.reserve(1 + random(700), leave.signal, random(2) === 0);
        if (waiting) waits.push(waiting.catch(() => {}).then(() => helds.add(held)));
        else helds.add(held);
      },
      () => any(helds)?.release(),
      () => leaving[random(leaving.length)]?.abort(),
      () => {
        const unread = account().connect(() => connections.delete(unread));
        connections.add(unread);
        unread.set(Math.min(ledger.free, random(200)));
      },
      () => any(connections)?.release(),
      () => turn(),
    ];
    for (let act = 0; act < 200; act++) {
      await acts[random(acts.length)]?.();
      expect(ledger.free).toBeGreaterThanOrEqual(0);
      expect(total(ledger)).toBe(max - ledger.free);
    }
    for (const unread of connections) unread.close();
    for (const leave of leaving) leave.abort();
    await Promise.all(waits);
    for (const held of helds) held.release();
    expect([total(ledger), ledger.free, ledger.waiting]).toEqual([0, max, 0]);
  }
});
