import { type OperationDefinitionNode, valueFromASTUntyped } from "graphql";

/** What an operation's variables are before anybody has checked them: what the request gives, else the declared default. */
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
