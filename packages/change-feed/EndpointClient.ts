import { lookup } from "node:dns";
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { Webhook } from "standardwebhooks";
import { AddressList, isPublic } from "./addresses.ts";
import { type ResponseVerdict, restOf, verdictOf } from "./responses.ts";

/** Which endpoints are called, and for how long. */
export interface EndpointSettings {
  /** Private addresses and networks to which webhooks may go, also without TLS: `127.0.0.1`, `10.0.0.0/8`. None by default. */
  privateAddresses?: readonly string[];
  /** Certificate authorities in place of Node's, as PEM. */
  ca?: string;
  /** How long the endpoint may take, from the connection to the end of its response. */
  timeoutMs?: number;
}

/** A message, and where it leads. */
export interface Message {
  url: string;
  /** Each signs, while the secret changes. */
  secrets: readonly string[];
  id: string;
  body: string;
  /** For a cache, in a header: what is outdated now. */
  tags: readonly string[];
}

/** What became of a message. */
export interface Reply {
  verdict: ResponseVerdict;
  /** Why it was not taken: the text of others. */
  reason?: string;
  /** For how long the endpoint wants to be left alone, in milliseconds. */
  rest?: number | undefined;
}

/** The rest of a response is of no interest. */
const maxResponseLength = 64_000;

/** Calls endpoints. Redirects are not followed. Addresses that are neither public nor listed are not called. */
export class EndpointClient {
  readonly #settings: EndpointSettings;
  readonly #listed: AddressList;
  // Of its own: a connection that somebody else has opened may lead to any address.
  readonly #agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  constructor(settings: EndpointSettings) {
    this.#settings = settings;
    this.#listed = new AddressList(settings.privateAddresses ?? []);
  }

  /** Sends a signed message (Standard Webhooks). Never rejects. */
  async post(message: Message, signal: AbortSignal): Promise<Reply> {
    const { timeoutMs = 15_000 } = this.#settings;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await this.#send(message, deadline);
    } catch (error) {
      const isLate = deadline.aborted && !signal.aborted;
      return {
        verdict: "failed",
        reason: isLate ? `no response within ${timeoutMs / 1_000} s` : (error as Error).message,
      };
    }
  }

  async #send({ url, secrets, id, body, tags }: Message, signal: AbortSignal): Promise<Reply> {
    const parsed = new URL(url);
    const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
    const isSecure = parsed.protocol === "https:";
    if (!isSecure && !this.#listed.has(host)) throw new Error("without TLS, only listed private addresses are called");
    if (isIP(host) && !this.#isAllowed(host)) throw new Error(`${host} is no public address, and not listed`);
    const { ca } = this.#settings;
    const now = new Date();
    const sent = (isSecure ? requestHttps : requestHttp)(parsed, {
      method: "POST",
      agent: isSecure ? this.#agents.https : this.#agents.http,
      lookup: this.#lookup,
      signal,
      ...(ca === undefined ? null : { ca }),
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "cache-tag": tags.join(),
        "user-agent": "postgraphile-change-feed",
        "webhook-id": id,
        "webhook-timestamp": Math.floor(now.getTime() / 1_000),
        "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(" "),
      },
    });
    return await replyOf(await responseTo(sent.end(body)));
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /** The addresses that are checked are those that are called: the name is asked for once. */
  readonly #lookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const refused = addresses.find(({ address }) => !this.#isAllowed(address));
      if (refused) {
        const reason = `${hostname} is ${refused.address}, which is no public address, and not listed`;
        return done(new Error(reason), []);
      }
      const [first] = addresses;
      if (options.all || !first) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };

  #isAllowed(address: string): boolean {
    return this.#listed.has(address) || isPublic(address);
  }
}

/** Rejects when the request ends without a response, which a switch of protocols is not. */
function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const end = ({ statusCode }: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    reject(new Error(`${statusCode}, which is not followed`));
  };
  // Also after the response has begun: an error without a listener would end the process.
  sent.on("response", resolve).on("upgrade", end).on("error", reject);
  return promise;
}

async function replyOf(response: IncomingMessage): Promise<Reply> {
  const { statusCode = 0, headers } = response;
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxResponseLength) break;
  }
  const verdict = verdictOf(statusCode);
  if (verdict === "delivered") return { verdict };
  const reason = headers.location === undefined ? text : `to ${headers.location}, which is not followed`;
  return {
    verdict,
    reason: `${statusCode} ${reason}`,
    ...(verdict === "failed" ? { rest: restOf(headers["retry-after"]) } : null),
  };
}
