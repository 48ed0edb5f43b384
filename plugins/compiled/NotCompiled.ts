/** The operation, or this request for it, is left to the engine. */
export class NotCompiled extends Error {}
