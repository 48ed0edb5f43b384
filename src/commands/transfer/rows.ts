import { isObject } from "@content-service/support/isObject.ts";
import { wellFormedText } from "@content-service/support/storable.ts";
import type { Kind } from "./tables.ts";

/** A line, a Markdown file, or an entry of an export larger than this is refused. A post has 100,000 characters at most. */
export const maxRowBytes = 16_000_000;

/** A row as a file has it. */
export interface ImportRow {
  kind: Kind;
  /** A JSON object, which PostgreSQL can read. */
  json: string;
  file: string;
  lineOf(field: string | undefined): number;
}

/** A row that is not imported, and why. */
export interface Refusal {
  file: string;
  line: number;
  reason: string;
  /** The row as JSON, if it could be read. */
  json?: string;
}

/** A file of the input. */
export interface File {
  path: string;
  /** Relative to the folder, with slashes. */
  name: string;
  bytes: number;
}

/**
 * The JSON as it is, so that no number loses digits, unless it has a text that PostgreSQL cannot store. Such a text is marked as
 * one of a request is: conventions.validation_errors() names its field.
 */
export function toStorable(json: string, value: Record<string, unknown>): string {
  return /\\u0000|\\u[dD][89a-fA-F]|\p{M}{31}/u.test(json) ? JSON.stringify(wellFormedText(value)) : json;
}

/** The object that a text has as JSON; undefined for any other text. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
