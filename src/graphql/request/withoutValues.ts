/** The places where graphql-js quotes a literal of the query. It may be a password, and messages end up in logs. */
const quotations: [RegExp, string][] = [
  [/^(.* cannot represent [^:]*): .*$/s, "$1."],
  [/^Value ".*" does not exist in "/s, 'This value does not exist in "'],
  [/^(Expected value of type "[^"]*"), found (?!null\.).*$/s, "$1."],
  [/(String|BlockString|Int|Float) ".*"\.$/s, "$1."],
];

/** Removes quoted values from a message of graphql-js. Names of fields, arguments and types stay. */
export function withoutValues(message: string): string {
  return quotations.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}
