import type { ErrorRequestHandler } from "express";
import { Refusal } from "../errors.ts";
import type { Engine } from "../graphql/Engine.ts";
import { answerRefusal } from "./answer.ts";

/** Answers for whatever was thrown on the way: what was meant for the client as it is, anything else as our fault. */
export function handleError(engine: Engine): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent) return next(error);
    answerRefusal(request, response, error instanceof Refusal ? error : engine.unforeseen(error));
  };
}
