/** Where graphql-js quotes what somebody wrote as a value: it may be a password, and messages end up in logs. */
const quotations: [RegExp, string][] = [
  [/^(.* cannot represent [^:]*): .*$/s, "$1."],
  [/^Value ".*" does not exist in "/s, 'This value does not exist in "'],
  [/^(Expected value of type "[^"]*"), found (?!null\.).*$/s, "$1."],
  [/(String|BlockString|Int|Float) ".*"\.$/s, "$1."],
];

/** A message of graphql-js's own, without the values that it quotes. Names of fields, arguments and types stay. */
export function withoutValues(message: string): string {
  return quotations.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}
