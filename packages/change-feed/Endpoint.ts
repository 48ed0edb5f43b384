import { lookup } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { Webhook } from "standardwebhooks";
import { AddressList, isPublic } from "./addresses.ts";

/** Which endpoints are called, and for how long. */
export interface EndpointSettings {
  /** Private addresses and networks to which webhooks may go, also without TLS: `127.0.0.1`, `10.0.0.0/8`. None by default. */
  privateAddresses?: readonly string[];
  /** Certificate authorities in place of Node's, as PEM. */
  ca?: string;
  /** How long the endpoint may take, from the connection to the end of its response. */
  timeoutMs?: number;
}

/** The rest of a response is of no interest. */
const maxResponseLength = 64_000;

/** Where a webhook leads: one address of the operator's choice. Redirects are not followed. Addresses that are neither public nor listed are not called. */
export class Endpoint {
  readonly #url: URL;
  readonly #webhook: Webhook;
  readonly #settings: EndpointSettings;
  readonly #listed: AddressList;

  constructor(url: string, secret: string, settings: EndpointSettings) {
    this.#url = new URL(url);
    this.#webhook = new Webhook(secret);
    this.#settings = settings;
    this.#listed = new AddressList(settings.privateAddresses ?? []);
  }

  /**
   * Sends a signed message (Standard Webhooks).
   *
   * @param tags for a cache, in a header: what is outdated now
   * @returns undefined when the endpoint has taken it (2xx); otherwise why not
   */
  async post(id: string, body: string, tags: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const { timeoutMs = 15_000, ca } = this.#settings;
    const { protocol, hostname } = this.#url;
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    if (protocol === "http:" && !this.#listed.has(host)) return "without TLS, only listed private addresses are called";
    if (isIP(host) && !this.#isAllowed(host)) return `${host} is no public address, and not listed`;
    const now = new Date();
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const sent = (protocol === "https:" ? requestHttps : requestHttp)(this.#url, {
        method: "POST",
        lookup: this.#lookup,
        signal: deadline,
        ...(ca === undefined ? null : { ca }),
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "cache-tag": tags.join(),
          "user-agent": "postgraphile-change-feed",
          "webhook-id": id,
          "webhook-timestamp": Math.floor(now.getTime() / 1_000),
          "webhook-signature": this.#webhook.sign(id, now, body),
        },
      });
      return await outcomeOf(await responseTo(sent.end(body)));
    } catch (error) {
      if (deadline.aborted && !signal.aborted) return `no response within ${timeoutMs / 1_000} s`;
      return (error as Error).message;
    }
  }

  /** The addresses that are checked are those that are called: the name is asked for once. */
  readonly #lookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const refused = addresses.find(({ address }) => !this.#isAllowed(address));
      if (refused)
        return done(new Error(`${hostname} is ${refused.address}, which is no public address, and not listed`), []);
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

async function outcomeOf(response: IncomingMessage): Promise<string | undefined> {
  const { statusCode = 0, headers } = response;
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxResponseLength) break;
  }
  if (statusCode >= 200 && statusCode < 300) return undefined;
  if (headers.location !== undefined) return `${statusCode} to ${headers.location}, which is not followed`;
  return `${statusCode} ${text}`;
}
