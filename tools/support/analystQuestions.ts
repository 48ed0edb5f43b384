import { readFileSync } from "node:fs";

/** A question of docs/analysts.md: its query, and the answer that the document prints. */
export interface AnalystQuestion {
  title: string;
  sql: string;
  printed: string;
}

export const analystsDocument = new URL("../../docs/analysts.md", import.meta.url);

export function readAnalystQuestions(text: string = readFileSync(analystsDocument, "utf8")): AnalystQuestion[] {
  return [...text.matchAll(/^### (.+)\n[^#]*?```sql\n([\s\S]+?)```\n\n```text\n([\s\S]*?)```/gm)].map(
    ([, title = "", sql = "", printed = ""]) => ({ title, sql, printed }),
  );
}
