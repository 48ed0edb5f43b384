import { parse } from "graphql";
import { checkDocument } from "../../src/graphql/request/checkDocument.ts";
import { selectOperation } from "../../src/graphql/request/Documents.ts";
import { PreparedOperation } from "../../src/graphql/request/PreparedOperation.ts";
import { defaultSettings } from "../../src/settings.ts";
import { schema } from "./schema.ts";

/** The cost of a document, and the limits that it exceeds. */
export function check(query: string, variables: Record<string, unknown> = {}, operationName?: string) {
  const document = parse(query);
  const prepared = new PreparedOperation(schema, document, selectOperation(document, operationName));
  const { cost, errors } = checkDocument(prepared, variables, defaultSettings.queryLimits);
  return { cost, errors, refusals: errors.map(({ extensions }) => extensions.limit) };
}
