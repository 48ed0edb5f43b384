import type { FormattedExecutionResult } from "graphql";

/** The result of an operation. With `json`, its text, `result` is parsed when somebody reads its data. */
export interface Executed {
  result: FormattedExecutionResult;
  json?: string;
}

/** An answer without errors, from the text of its data. */
export function jsonAnswer(data: string): Executed {
  let parsed: FormattedExecutionResult["data"];
  const result = {
    get data() {
      parsed ??= JSON.parse(data);
      return parsed as NonNullable<typeof parsed>;
    },
  };
  return { result, json: `{"data":${data}}` };
}
