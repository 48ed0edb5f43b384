import type { IncomingMessage, ServerResponse } from "node:http";
import type { OwnWrites } from "../graphql/OwnWrites.ts";
import type { Outcome, RequestPipeline } from "../graphql/RequestPipeline.ts";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import type { OpenCredential, OpenCredentials } from "../identity/OpenCredentials.ts";
import { readBearer, TokenError } from "../identity/readToken.ts";
import type { VerifiedToken, VerifyToken } from "../identity/verifyToken.ts";
import type { Account } from "../memory/ByteLedger.ts";
import { jsonHeap } from "../memory/heap.ts";
import { noteOperation, notesOf } from "../observe/requestLog.ts";
import { traceRequest } from "../observe/tracing.ts";
import type { Settings } from "../settings.ts";
import { readAfterHeader, readAfterOf, sendReadAfter, setRateLimitHeaders, vary } from "./headers.ts";
import { acceptedType, acceptsPage, eventStream } from "./mediaTypes.ts";
import { readQueryString, refuseForeignPage } from "./queryString.ts";
import { checkContentType, parseJson, readBytes } from "./requestBody.ts";
import type { SseConnections } from "./SseConnections.ts";
import { sendOutcome } from "./sendOutcome.ts";

export interface EndpointParts {
  pipeline: RequestPipeline;
  verifyToken: VerifyToken;
  credentials: OpenCredentials;
  eventStreams: SseConnections;
  /** Undefined where no replicas answer queries. */
  ownWrites: OwnWrites | undefined;
}

/**
 * `POST /graphql` (specification 4.1), and GET for queries, by the rules of GraphQL over HTTP (docs/decisions.md, "HTTP").
 * Every response is GraphQL, in JSON.
 *
 * @param page for browsers that open the endpoint
 * @returns a function that answers a request of the account at the IP address, and throws ApiError for one that is not for the pipeline
 */
export function graphqlEndpoint(
  { pipeline, verifyToken, credentials, eventStreams, ownWrites }: EndpointParts,
  { bodyLimit, cacheSeconds, cacheTagHeader }: Pick<Settings, "bodyLimit" | "cacheSeconds" | "cacheTagHeader">,
  page: ((response: ServerResponse) => void) | undefined,
) {
  // That of Cloudflare; other caches have headers of their own, with spaces.
  const tagSeparator = /^cache-tag$/i.test(cacheTagHeader) ? "," : " ";

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
    account: Account,
  ): Promise<void> => {
    const isGet = isRead(request);
    if (isGet && page && acceptsPage(request)) return page(response);
    if (!isGet && request.method !== "POST") {
      throw new MalformedRequest("A GraphQL request is a POST, or a GET for a query.", 405, {
        headers: { Allow: "GET, HEAD, POST" },
      });
    }
    // HEAD has no content that could carry events.
    const canSubscribe = acceptedType(request) === eventStream && request.method !== "HEAD";
    if (canSubscribe) eventStreams.admit(address, account, response);
    if (isGet) refuseForeignPage(request);
    else checkContentType(request);
    const held = account.hold("requests");
    const heldResult = account.hold("results");
    let caller: VerifiedToken | undefined;
    let credential: OpenCredential | undefined;
    const client = {
      authenticate: async () => {
        caller = await authenticate(request, verifyToken);
        return caller;
      },
      openCredential: () => {
        const end = () => eventStreams.end(response, new TokenError("TOKEN_INVALID"));
        credential = caller && credentials.add(caller, end);
        return credential;
      },
      address,
      account,
      held,
      heldResult,
      signal: signalOf(response),
      canSubscribe,
      isReadOnly: isGet,
      isCached: isGet && cacheSeconds > 0 && !request.headers.authorization,
      readAfter: ownWrites && readAfterOf(request),
    };
    const receive = async () => {
      if (isGet) return readQueryString(request);
      const body = await readBytes(request, bodyLimit, held);
      await held.reserve(jsonHeap(body), client.signal, true);
      return () => parseJson(body);
    };
    try {
      const outcome = await traceRequest(request.headers, () => pipeline.handle(receive, client));
      describe(response, outcome);
      if (!outcome.subscription) return await sendOutcome(request, response, outcome, heldResult);
      held.release();
      const sending = eventStreams.send(response, outcome, outcome.subscription, caller?.expiresAt);
      // The token may have ended before there was a stream.
      if (credential?.isOpen === false) eventStreams.end(response, new TokenError("TOKEN_INVALID"));
      await sending;
    } finally {
      credential?.close();
      for (const one of [held, heldResult]) one.release();
    }
  };

  /** Writes what the log and the headers say about an outcome. */
  function describe(response: ServerResponse, outcome: Outcome): void {
    const notes = notesOf(response);
    notes.userId = outcome.userId;
    noteOperation(notes, outcome.operation);
    const cacheTags = outcome.errors ? undefined : outcome.cacheTags;
    // A public cache would give them to other clients.
    if (outcome.standing && !cacheTags) setRateLimitHeaders(response, outcome.standing);
    if (ownWrites && outcome.readAfter) sendReadAfter(response, outcome.readAfter, ownWrites.seconds);
    if (!cacheTags) return;
    response.setHeader("Cache-Control", `public, max-age=${cacheSeconds}`);
    if (cacheTags.length > 0) response.setHeader(cacheTagHeader, cacheTags.join(tagSeparator));
    vary(response, ownWrites ? `Authorization, ${readAfterHeader}` : "Authorization");
  }
}

/** Whether the request is a GET, or a HEAD, which has the headers of the GET (RFC 9110, 9.3.2). Node leaves out the body. */
function isRead({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

async function authenticate(request: IncomingMessage, verifyToken: VerifyToken): Promise<VerifiedToken | undefined> {
  const token = readBearer(request.headersDistinct.authorization);
  return token === undefined ? undefined : verifyToken(token);
}

/** Aborted when the client disconnects before it has its response. After that, an abort would only take time. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
