import { OperatorError } from "@content-service/support/OperatorError.ts";

/** The command line is wrong: nothing has run. */
export class UsageError extends OperatorError {}
