import { type DocumentNode, Kind, visit } from "graphql";

/** What NUL and half a surrogate pair become on their way to PostgreSQL, which can store neither. */
const placeholder = "\uFDD0";
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

function storableText(text: string): string {
  return text.replace(unstorable, placeholder);
}

/**
 * A request's variables as PostgreSQL can take them. Text with NUL would end the statement with an error of the wire's
 * that names no field; with a noncharacter in its place it arrives, and app_hidden.faults() refuses it by name.
 */
export function storableVariables(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storableVariables);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, storableVariables(inner)]));
}

/** The same for the strings that stand in the document itself. */
export function storableDocument(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.STRING]: (node) => {
      const value = storableText(node.value);
      return value === node.value ? undefined : { ...node, value };
    },
  });
}
