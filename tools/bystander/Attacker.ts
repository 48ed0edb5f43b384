import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { postJson } from "../support/post.ts";

/** The data that an attack runs with. */
export interface Place {
  /** The URL of the endpoint. */
  url: string;
  /** The connection string of an analyst. */
  analystUrl: string;
  /** The connection string of the owner. */
  ownerUrl: string;
  /** A free port of 127.0.0.1, to which webhooks may go. */
  port: number;
  userId: string;
  authorization: string;
}

/** Whom the service takes the attacker for: the attacker itself, unless given. */
interface Disguise {
  isAnonymous?: boolean;
  authorization?: string;
  address?: string;
  /** The older sub-protocol, instead of the usual one. */
  protocol?: "graphql-ws" | undefined;
}

/** The client's address, as a proxy reports it. */
const ownAddress = "198.51.100.7";
/** A refused client waits, because the measurement is about requests within the limits. */
const pauseAfterRefusalMs = 100;

/** One client that uses all that its limits allow. */
export class Attacker {
  readonly place: Place;
  readonly signal: AbortSignal;
  /** How many answers of each kind the attacker has had. */
  readonly outcomes: Record<string, number> = {};
  readonly #agent = new Agent({ keepAlive: true });

  constructor(place: Place, signal: AbortSignal) {
    this.place = place;
    this.signal = signal;
    signal.addEventListener("abort", () => this.#agent.destroy());
  }

  get answers(): number {
    return Object.values(this.outcomes).reduce((sum, count) => sum + count, 0);
  }

  readonly note = (outcome: string, count = 1): void => {
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + count;
  };

  /** Sends a request and counts its outcome. @returns the data of the answer */
  async ask(
    body: object,
    { isAnonymous = false, authorization = this.place.authorization, address = ownAddress }: Disguise = {},
  ): Promise<any> {
    const options = { headers: { "x-forwarded-for": address }, signal: this.signal };
    const identity = isAnonymous ? null : { authorization };
    try {
      const sent = postJson(this.place.url, this.#agent, JSON.stringify(body), { ...options, ...identity });
      const { data, errors } = JSON.parse((await sent).text);
      const code = errors?.[0].extensions.code;
      this.note(code ?? "data");
      if (code === "RATE_LIMITED") await delay(pauseAfterRefusalMs);
      return data;
    } catch {
      if (this.signal.aborted) return undefined;
      this.note("no answer");
      await delay(pauseAfterRefusalMs);
    }
  }

  /** Sends requests over `connections` at once, until the attack is over. */
  async flood(connections: number, body: (index: number) => object, options?: Disguise) {
    let index = 0;
    await this.repeat(connections, () => this.ask(body(index++), options));
  }

  /** Runs `act` again and again, `times` at once, until the attack is over. */
  async repeat(times: number, act: () => Promise<unknown>): Promise<void> {
    const one = async () => {
      while (!this.signal.aborted) await act();
    };
    await Promise.all(Array.from({ length: times }, one));
  }

  /**
   * Opens a WebSocket of the attacker, connected and acknowledged. Counts the messages by their type, and a close by its
   * code.
   */
  async open({
    isAnonymous = false,
    authorization = this.place.authorization,
    address = ownAddress,
    protocol,
  }: Disguise = {}): Promise<WebSocket> {
    const headers = { "x-forwarded-for": address };
    const socket = new WebSocket(this.place.url.replace("http", "ws"), protocol ?? "graphql-transport-ws", { headers });
    socket.on("error", () => {});
    socket.on("close", (code) => this.note(`closed ${code}`));
    this.signal.addEventListener("abort", () => socket.terminate());
    await new Promise<void>((resolve) => {
      socket.on("close", () => resolve());
      socket.on("open", () => {
        const payload = isAnonymous ? {} : { authToken: authorization };
        socket.send(JSON.stringify({ type: "connection_init", payload }));
      });
      socket.on("message", (data) => {
        const type = /"type":"(\w+)"/.exec(String(data))?.[1] ?? "message";
        if (type === "connection_ack") resolve();
        else if (type === "error") this.note(`error ${/"code":"(\w+)"/.exec(String(data))?.[1]}`);
        else this.note(type);
      });
    });
    return socket;
  }

  /** Resolves when the attack is over. */
  async untilOver(): Promise<void> {
    if (this.signal.aborted) return;
    await new Promise((resolve) => this.signal.addEventListener("abort", resolve));
  }
}
