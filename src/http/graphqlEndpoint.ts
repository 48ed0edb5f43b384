import type { Request, RequestHandler } from "express";
import type { Engine } from "../graphql/Engine.ts";
import { readBearer } from "../identity/readBearer.ts";
import type { VerifyToken } from "../identity/verifyToken.ts";
import { noteOperation, notesOf } from "../observe/RequestNotes.ts";
import { answer } from "./answer.ts";
import { HttpRefusal } from "./httpRefusal.ts";
import { acceptedType, checkContentType, graphqlJson, json } from "./mediaTypes.ts";
import { readBytes } from "./readBytes.ts";
import { readBody, readGraphQLRequest } from "./readGraphQLRequest.ts";

export interface EndpointParts {
  engine: Engine;
  verifyToken: VerifyToken;
  /** The longest body that is read, in bytes, after decompression. */
  bodyLimit: number;
  /** Answers browsers that open the endpoint, where there is a page to show. */
  page: RequestHandler | undefined;
}

/**
 * `POST /graphql` (specification 4.1), by the rules of GraphQL over HTTP and the table in DECISIONS.md, "HTTP". Every
 * answer is a GraphQL response in JSON.
 */
export function graphqlEndpoint({ engine, verifyToken, bodyLimit, page }: EndpointParts): RequestHandler[] {
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
      const body = await readBytes(request, bodyLimit);
      const notes = notesOf(response);
      const userId = await identify(request, verifyToken);
      notes.userId = userId;
      const asked = readGraphQLRequest(readBody(body));
      const { result, isRequestError, operation } = await engine.answer(asked, { userId, address: request.ip });
      noteOperation(notes, operation);
      answer(request, response, result, isRequestError);
    },
  ];
}

/** Before any database connection is taken: a bad token is refused, never treated as anonymous. */
async function identify(request: Request, verifyToken: VerifyToken): Promise<string | undefined> {
  const token = readBearer(request.headersDistinct.authorization);
  return token === undefined ? undefined : (await verifyToken(token)).userId;
}
