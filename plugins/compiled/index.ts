/**
 * For servers that run the statements of an operation themselves. Others use the preset, which does.
 *
 * @packageDocumentation
 */

export { parseExactly } from "../support/exactCodecs.ts";
export { CompiledOperations, type CompiledOptions } from "./CompiledOperations.ts";
export { type CompiledStatement, eventVariables, rootFields } from "./compile.ts";
export { failedOperation } from "./failedOperation.ts";
export { NotCompiled } from "./NotCompiled.ts";
export { mayHaveNull, nullErrors } from "./nullErrors.ts";
