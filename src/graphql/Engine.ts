import { randomUUID } from "node:crypto";
import {
  type DocumentNode,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import type { Logger } from "pino";
import type { Caller } from "../database/adaptor.ts";
import { Refusal } from "../errors.ts";
import type { SignToken } from "../identity/signToken.ts";
import { TokenError } from "../identity/tokenError.ts";
import type { MessageStream } from "../messages/MessageStream.ts";
import type { Tracing } from "../observe/tracing.ts";
import { type EventQuery, eventQuery, subscriptionArguments } from "./eventQuery.ts";
import { type Execution, executeOperation } from "./executeOperation.ts";
import { Faults } from "./Faults.ts";
import type { HeavyLane } from "./heavy/HeavyLane.ts";
import { type Cost, checkDocument } from "./request/checkDocument.ts";
import { coerceVariables } from "./request/coerceVariables.ts";
import { selectOperation } from "./request/selectOperation.ts";
import { storableVariables } from "./request/storable.ts";
import { openSubscription, type Subscription } from "./Subscription.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";

/** A request as clients send it, over any transport. */
export interface GraphQLRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | undefined;
  extensions: Record<string, unknown>;
}

/** Whose request it is, as a verified token says, and where it comes from. Nobody and nowhere, if it is not known. */
export interface Requester {
  userId?: string | undefined;
  address?: string | undefined;
  /** Aborted when the client is gone. */
  signal?: AbortSignal | undefined;
}

/** What a request came to. A request error is one that nothing was executed for: it has no `data`. */
export interface Outcome {
  result: FormattedExecutionResult;
  isRequestError: boolean;
  operation: OperationDefinitionNode | undefined;
}

/** A subscription that a request has opened. */
export interface Opened {
  subscription: Subscription;
  operation: OperationDefinitionNode;
}

export interface EngineParts {
  served: ServedSchema;
  /** Undefined where somebody else signs tokens. */
  signToken: SignToken | undefined;
  messages: MessageStream;
  heavyLane: HeavyLane;
  tracing: Tracing;
  /** Throws a Refusal for what this caller may not ask for now, before anything of it is done. */
  admit?:
    | ((document: DocumentNode, operation: OperationDefinitionNode, requester: Requester) => Promise<void>)
    | undefined;
  log: Logger;
}

/** A request that means something, and what it asks for. */
interface Prepared {
  served: ServedSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  cost: Cost;
}

/** Answers GraphQL requests, whatever they came by. Never throws for anything a client can send. */
export class Engine {
  #parts: EngineParts;
  /** Documents are remembered by their text, so an operation is the same object each time it is asked for. */
  readonly #eventQueries = new WeakMap<OperationDefinitionNode, EventQuery>();

  readonly #faults: Faults;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#faults = new Faults(parts.log);
  }

  /** What requests are answered from at the moment. */
  get served(): ServedSchema {
    return this.#parts.served;
  }

  /** Answers from another schema from now on. What is under way finishes on the one that it began with. */
  serve(served: ServedSchema): void {
    this.#parts = { ...this.#parts, served };
    this.#parts.heavyLane.renew();
  }

  /** Answers a query or a mutation. */
  async answer(request: GraphQLRequest, requester: Requester): Promise<Outcome> {
    const prepared = await this.#prepare(request, requester);
    if ("result" in prepared) return prepared;
    if (prepared.operation.operation === OperationTypeNode.SUBSCRIPTION) {
      const message = "Subscriptions are served over WebSocket.";
      return requestError([refusal(new Refusal("GRAPHQL_VALIDATION_FAILED", message))], prepared.operation);
    }
    return this.#answer(prepared, request, callerOf(requester));
  }

  /** Answers a query or a mutation, or opens a subscription. */
  async open(request: GraphQLRequest, requester: Requester): Promise<Outcome | Opened> {
    const prepared = await this.#prepare(request, requester);
    if ("result" in prepared) return prepared;
    const caller = callerOf(requester);
    return prepared.operation.operation === OperationTypeNode.SUBSCRIPTION
      ? this.#subscribe(prepared, request, caller)
      : this.#answer(prepared, request, caller);
  }

  async #answer(prepared: Prepared, { variables, extensions }: GraphQLRequest, caller: Caller): Promise<Outcome> {
    const { document, operation, cost } = prepared;
    const attributes = {
      "graphql.operation.type": operation.operation,
      "graphql.operation.name": operation.name?.value,
    };
    const result = await this.#parts.tracing.step(operation.operation, attributes, () =>
      this.#execute(prepared, { document, operation, variables, caller }),
    );
    if (isNobodysToken(result)) {
      const whole = { errors: [refusal(new TokenError("TOKEN_INVALID"))], data: null };
      return { result: whole, isRequestError: true, operation };
    }
    // For clients that want to know how far they are from the limits: {"extensions": {"cost": true}}.
    if (extensions["cost"] === true) result.extensions = { cost };
    return { result, isRequestError: false, operation };
  }

  async #subscribe(prepared: Prepared, request: GraphQLRequest, caller: Caller): Promise<Outcome | Opened> {
    const { served, document, operation } = prepared;
    const query = this.#eventQuery(served, document, operation);
    const { variables } = request;
    try {
      const given = subscriptionArguments(served.schema, query, storableVariables(variables) as typeof variables);
      const execute = (ofEvent: typeof variables) =>
        this.#execute(prepared, {
          document: query.document,
          operation: query.operation,
          variables: ofEvent,
          // Others may wait for the same answer when this client has gone.
          caller: { ...caller, requestId: randomUUID(), signal: undefined },
        });
      const { messages } = this.#parts;
      const subscription = await openSubscription(messages, query, given, variables, caller.viewerId, execute);
      return { subscription, operation };
    } catch (error) {
      const known = error instanceof Refusal ? error : this.unforeseen(error);
      return requestError([{ ...refusal(known), path: [query.responseName] }], operation);
    }
  }

  #eventQuery({ schema }: ServedSchema, document: DocumentNode, operation: OperationDefinitionNode): EventQuery {
    const known = this.#eventQueries.get(operation);
    if (known) return known;
    const made = eventQuery(schema, document, operation);
    this.#eventQueries.set(operation, made);
    return made;
  }

  /** What a request means, or why it means nothing. */
  async #prepare(request: GraphQLRequest, requester: Requester): Promise<Prepared | Outcome> {
    const { served, admit } = this.#parts;
    const { schema, documents, limits } = served;
    let operation: OperationDefinitionNode | undefined;
    try {
      const document = documents.parse(request.query);
      operation = selectOperation(document, request.operationName);
      // Cheap whatever the document says, so before anything that is not.
      const { cost, errors } = checkDocument(schema, document, operation, request.variables, limits);
      const faults = errors.length > 0 ? errors : documents.validate(document);
      // Not told of its operation: what is invalid has no name that anybody should count by.
      if (faults.length > 0) return requestError(faults.map((error) => this.#faults.format(error)));
      coerceVariables(schema, operation, request.variables, limits);
      await admit?.(document, operation, requester);
      return { served, document, operation, cost };
    } catch (error) {
      if (error instanceof Refusal) return requestError([refusal(error)], operation);
      if (error instanceof GraphQLError) return requestError([this.#faults.format(error)], operation);
      throw error;
    }
  }

  /** What is heavy is run where it keeps nobody waiting. */
  #execute({ served, cost }: Prepared, execution: Execution): Promise<FormattedExecutionResult> {
    const { heavyLane, signToken } = this.#parts;
    return heavyLane.isFor(execution.operation, cost)
      ? heavyLane.execute(execution)
      : executeOperation(served, execution, { signToken, faults: this.#faults });
  }

  /** What a client is told of a fault of ours that no field is to blame for. The log is told the rest. */
  unforeseen(error: unknown): Refusal {
    return this.#faults.unforeseen(error);
  }
}

/**
 * Whether all that was asked failed because the token's user is gone or banned, which only the database knows. Such a
 * token is refused as any other that is not valid: once, and for the whole request.
 */
function isNobodysToken({ data, errors = [] }: FormattedExecutionResult): boolean {
  const isEmpty = Object.values(data ?? {}).every((value) => value === null);
  return isEmpty && errors.length > 0 && errors.every(({ extensions }) => extensions?.reason === "TOKEN_INVALID");
}

function callerOf({ userId = "", address = "", signal }: Requester): Caller {
  return { viewerId: userId, requestId: randomUUID(), address, signal };
}

function requestError(errors: GraphQLFormattedError[], operation?: OperationDefinitionNode): Outcome {
  return { result: { errors }, isRequestError: true, operation };
}

/** A refusal of a whole request, as the client reads it. */
export function refusal({ message, code, extensions }: Refusal): GraphQLFormattedError {
  return { message, extensions: { code, ...extensions } };
}
