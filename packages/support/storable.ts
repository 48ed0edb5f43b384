import { type DocumentNode, Kind, visit } from "graphql";

/** Stands for NUL and for half a surrogate pair: PostgreSQL can store neither. */
const placeholder = "\uFDD0";
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Stands for more than 30 combining marks in a row. PostgreSQL normalises such a run in quadratic time, and nothing interrupts
 * it: no run reaches a function, even one that forgets conventions.bounded_text().
 */
const runPlaceholder = "\uFDD1";
const run = /(?<!\p{M})\p{M}{31,}/gu;

/** All that NFC makes ASCII of. In an email, each is another address than its ASCII form, so they stay. */
const asciiInNfc = /[\u037E\u1FEF\u212A]/;
const others = /[^\u037E\u1FEF\u212A]+/g;

function storableText(text: string): string {
  const storable = text.replace(unstorable, placeholder);
  const bounded = storable.length > 30 ? storable.replace(run, runPlaceholder) : storable;
  if (!asciiInNfc.test(bounded)) return bounded.normalize("NFC");
  return bounded.replace(others, (part) => part.normalize("NFC"));
}

/**
 * Normalises the text of a request's variables to NFC, as it is stored, so that a name or slug in NFD finds it. Replaces what PostgreSQL
 * cannot store or normalise. NUL would fail the statement with a protocol
 * error that names no field; the noncharacter reaches conventions.validation_errors(), which names the field.
 */
export function wellFormedText(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(wellFormedText);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, wellFormedText(inner)]));
}

/**
 * The name to use for a variable in place of one that every object has, such as `toString`. graphql-js and the engine read
 * variables from plain objects, so a missing `$toString` would be a function. No two names become one: `toString_` is replaced as well.
 */
export function safeName(name: string): string {
  for (let start = name; ; start = start.slice(0, -1)) {
    if (start in Object.prototype) return `${name}_`;
    if (!start.endsWith("_")) return name;
  }
}

/** The variables of a request, by safe names. */
export function safelyNamed(variables: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [safeName(name), value]));
}

/** The same replacement for the string literals of a document; its variables get safe names. */
export function storableDocument(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.VARIABLE]: (node) => {
      const value = safeName(node.name.value);
      return value === node.name.value ? undefined : { ...node, name: { ...node.name, value } };
    },
    [Kind.STRING]: (node) => {
      const value = storableText(node.value);
      return value === node.value ? undefined : { ...node, value };
    },
  });
}
