/** The global object of the process itself: no `vm` context. */
export default class NativeEnvironment {
  global = globalThis;
  #exit = process.exit;

  /** Undoes what Jest has just set: long stacks through source maps make each error cost milliseconds. */
  async setup() {
    Error.prepareStackTrace = undefined;
    Error.stackTraceLimit = 10;
  }

  /** Jest replaces `process.exit` for each file. */
  async teardown() {
    process.exit = this.#exit;
  }

  getVmContext() {
    return null;
  }
}
