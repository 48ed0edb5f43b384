import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import { execute, hookArgs } from "postgraphile/grafast";
import type { Caller } from "../database/adaptor.ts";
import { ByteBudget } from "../database/ByteBudget.ts";
import type { SignToken } from "../identity/signToken.ts";
import { answerSize } from "./answerSize.ts";
import type { Faults } from "./Faults.ts";
import { limitError } from "./request/limitError.ts";
import { storableVariables } from "./request/storable.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";

/** A query or a mutation that is valid and within the limits, and whose it is. */
export interface Execution {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  caller: Caller;
}

export interface Surroundings {
  /** Undefined where somebody else signs tokens. */
  signToken: SignToken | undefined;
  faults: Faults;
}

/** Plans it, or finds its plan, and runs it. */
export async function executeOperation(
  { schema, resolvedPreset, limits: { answerBytes } }: ServedSchema,
  { document, operation, variables, caller }: Execution,
  { signToken, faults }: Surroundings,
): Promise<FormattedExecutionResult> {
  const args = await hookArgs({
    schema,
    document,
    resolvedPreset,
    requestContext: { caller: { ...caller, budget: new ByteBudget(answerBytes) } },
    contextValue: { signToken },
    variableValues: storableVariables(variables) as Record<string, unknown>,
    operationName: operation.name?.value,
  } as never);
  const { data, errors } = (await execute(args as never)) as { data: never; errors?: GraphQLError[] };
  const size = answerSize(data, answerBytes);
  if (size > answerBytes) {
    const error = limitError("answerBytes", answerBytes, size, { orMore: true });
    if (operation.operation === OperationTypeNode.MUTATION) error.message += " What it asked to be done is done.";
    return { errors: [faults.format(error)], data: null };
  }
  if (!errors || errors.length === 0) return { data };
  return { errors: errors.map((error) => faults.format(error, operation, caller)), data: data ?? null };
}
