import { makeFormatError } from "@content-service/errors/formatError.ts";
import type { GraphQLFormattedError } from "graphql";

const format = makeFormatError({
  error: (details: { err: unknown }) => {
    throw details.err;
  },
} as never);

type Refusal = Required<Pick<GraphQLFormattedError, "message" | "extensions">> & GraphQLFormattedError;

/** The error that `act` throws, as a client receives it. An internal error is rethrown. */
export function refusalOf(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    return format(error) as Refusal;
  }
  throw new Error("Nothing was refused.");
}
