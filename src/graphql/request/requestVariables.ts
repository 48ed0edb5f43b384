import { type OperationDefinitionNode, valueFromASTUntyped } from "graphql";

/** An operation's variables before they are checked: the request's values, else the declared defaults. */
export type RequestVariables = ReadonlyMap<string, unknown>;

export function requestVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): RequestVariables {
  const variables = new Map<string, unknown>();
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (Object.hasOwn(given, name)) variables.set(name, given[name]);
    else if (defaultValue) variables.set(name, valueFromASTUntyped(defaultValue));
  }
  return variables;
}
