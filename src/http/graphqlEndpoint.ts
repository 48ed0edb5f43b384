import type { Request, RequestHandler, Response } from "express";
import type { Engine } from "../graphql/Engine.ts";
import type { ResolvePersisted } from "../graphql/request/persistedOperations.ts";
import { readBearer } from "../identity/readBearer.ts";
import type { VerifyToken } from "../identity/verifyToken.ts";
import { noteOperation, notesOf } from "../observe/RequestNotes.ts";
import type { Tracing } from "../observe/tracing.ts";
import type { RateLimits } from "../rateLimits/RateLimits.ts";
import { answer } from "./answer.ts";
import { HttpRefusal } from "./httpRefusal.ts";
import { acceptedType, checkContentType, graphqlJson, json } from "./mediaTypes.ts";
import { readBytes } from "./readBytes.ts";
import { readBody, readGraphQLRequest } from "./readGraphQLRequest.ts";

export interface EndpointParts {
  engine: Engine;
  verifyToken: VerifyToken;
  rateLimits: RateLimits;
  resolvePersisted: ResolvePersisted;
  tracing: Tracing;
  /** The longest body that is read, in bytes, after decompression. */
  bodyLimit: number;
  /** Answers browsers that open the endpoint, where there is a page to show. */
  page: RequestHandler | undefined;
}

/**
 * `POST /graphql` (specification 4.1), by the rules of GraphQL over HTTP and the table in DECISIONS.md, "HTTP". Every
 * answer is a GraphQL response in JSON.
 */
export function graphqlEndpoint({
  engine,
  verifyToken,
  rateLimits,
  resolvePersisted,
  tracing,
  bodyLimit,
  page,
}: EndpointParts): RequestHandler[] {
  return [
    (request, response, next) => {
      if (request.method === "GET" && page && request.accepts([json, graphqlJson, "text/html"]) === "text/html") {
        return page(request, response, next);
      }
      if (request.method !== "POST") throw new HttpRefusal(405, "A GraphQL request is a POST.", { Allow: "POST" });
      acceptedType(request);
      checkContentType(request);
      next();
    },
    async (request, response) => {
      const notes = notesOf(response);
      // A caller without a good token is an address. So is one with a bad token, until that is refused.
      const token = await identify(request, verifyToken).catch((fault: unknown) => ({ fault, userId: undefined }));
      notes.userId = token.userId;
      await countRequest(response, rateLimits, token.userId, request.ip ?? "");
      if ("fault" in token) throw token.fault;
      const { userId } = token;
      const body = readBody(await readBytes(request, bodyLimit));
      const asked = readGraphQLRequest(await resolvePersisted(body));
      const requester = { userId, address: request.ip, signal: signalOf(response) };
      const { result, isRequestError, operation } = await tracing.request(request.headers, () =>
        engine.answer(asked, requester),
      );
      noteOperation(notes, operation);
      answer(request, response, result, isRequestError);
    },
  ];
}

/** Aborted when the client hangs up. */
function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

/** Before any database connection is taken: a bad token is refused, never treated as anonymous. */
async function identify(request: Request, verifyToken: VerifyToken): Promise<{ userId: string | undefined }> {
  const token = readBearer(request.headersDistinct.authorization);
  return { userId: token === undefined ? undefined : (await verifyToken(token)).userId };
}

/** As GitHub calls them. */
export const rateLimitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Used", "X-RateLimit-Reset"];

async function countRequest(response: Response, limits: RateLimits, userId: string | undefined, address: string) {
  const counted = await limits.countRequest(userId, address);
  if (!counted) return;
  const { limit, remaining, used, reset } = counted.standing;
  for (const [place, value] of [limit, remaining, used, reset].entries()) {
    response.setHeader(rateLimitHeaders[place] as string, value);
  }
  if (counted.refusal) throw counted.refusal;
}
