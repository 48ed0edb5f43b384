import type { ImportOptions } from "../../src/commands/transfer/importRows.ts";
import { Notes } from "../../src/commands/transfer/Notes.ts";

/** The options of an import that is given none, except those that a test chooses. Its notes are not printed. */
export function importOptions(chosen: Partial<ImportOptions> = {}): ImportOptions {
  return {
    keepIds: false,
    isCheck: false,
    author: undefined,
    site: undefined,
    notes: new Notes(() => {}, 0),
    signal: new AbortController().signal,
    ...chosen,
  };
}
