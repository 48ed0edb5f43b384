import { randomUUID } from "node:crypto";
import type { Operation } from "../../support/readOperations.ts";
import type { Request, RunningService } from "./RunningService.ts";

const readers = 2;

interface Read extends Operation {
  /** The codes of the errors in its answer, each once. */
  codes: string;
}

/** Readers and a writer that send the operations of test/operations. */
export class Load {
  requests = 0;
  readonly #service: RunningService;
  readonly #reads: Read[];
  readonly #writes: Record<"create" | "update" | "signUp", Operation>;
  readonly #failures = new Map<string, number>();
  /** Whether a migration may have changed what is answered. Then only internal errors and broken responses are failures. */
  isLenient = false;

  constructor(service: RunningService, operations: Operation[]) {
    this.#service = service;
    this.#reads = operations
      .filter(({ isMutation }) => !isMutation)
      .map((operation) => ({ ...operation, codes: codesOf(JSON.parse(operation.answer)) }));
    const named = (part: string) => operations.find(({ name }) => name.includes(part)) as Operation;
    this.#writes = { create: named("create-post"), update: named("update-post"), signUp: named("create-user") };
  }

  /** Each failure once, with how often it happened. */
  get failures(): string[] {
    return [...this.#failures].map(([failure, count]) => `${failure} (${count} times)`);
  }

  /** Sends requests, `count` from each reader and of each kind of write, and goes on until `work` has ended. */
  async during(work: Promise<unknown>, count: number): Promise<void> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    const send = async (next: (n: number) => Promise<void>) => {
      for (let n = 0; n < count || !isOver; n++) await next(n);
    };
    const senders = Array.from({ length: readers }, (_, reader) => send((n) => this.#read(n + reader * 5)));
    await Promise.all([ended, ...senders, send(() => this.#write())]);
  }

  /** Sends `count` requests from each reader and of each kind of write. */
  send(count: number): Promise<void> {
    return this.during(Promise.resolve(), count);
  }

  async #read(n: number): Promise<void> {
    const operation = this.#reads[n % this.#reads.length] as Read;
    await this.#send(operation.name, operation, operation.codes);
  }

  /** A user signs up; a post is created, changed and deleted. */
  async #write(): Promise<void> {
    const { create, update, signUp } = this.#writes;
    const email = `${randomUUID()}@example.com`;
    await this.#send("createUser", { ...signUp, variables: { name: "Zoë", email } }, "");
    const id = (await this.#send("createPost", create, ""))?.data?.createPost?.id;
    if (id === undefined) return;
    await this.#send("updatePost", { ...update, variables: { ...update.variables, id } }, "");
    const query = "mutation ($id: ID!) { deletePost(id: $id) { success } }";
    await this.#send("deletePost", { query, variables: { id }, as: "ada" }, "");
  }

  async #send(name: string, request: Request, codes: string): Promise<any> {
    this.requests++;
    try {
      const { status, text } = await this.#service.ask(request);
      const answer = JSON.parse(text);
      const found = codesOf(answer);
      const isFailure = found.includes("INTERNAL_SERVER_ERROR") || status >= 500;
      if (isFailure || (!this.isLenient && (status !== 200 || found !== codes))) {
        const [first] = answer.errors ?? [];
        this.#fail(`${name}: ${status} ${found || "no error"}, not ${codes || "none"}: ${told(first)}`);
      }
      return answer;
    } catch (error) {
      this.#fail(`${name}: ${(error as Error).message}`);
    }
  }

  #fail(failure: string): void {
    this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1);
  }
}

/** The first error, without what differs in each answer. */
function told({ message = "", extensions: { validationErrors } = {} }: any = {}): string {
  return `${message} ${JSON.stringify(validationErrors ?? "")}`;
}

function codesOf({ errors = [] }: { errors?: { extensions?: { code?: string } }[] }): string {
  return [...new Set(errors.map(({ extensions }) => extensions?.code))].sort().join(", ");
}
