import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(import.meta.url);

// Services and commands that tests run as processes of their own load compiled code: half of their start is compiling. A worker itself
// does without: nobody would load what it takes a second to write at its end.
process.env.NODE_COMPILE_CACHE = process.env.TEST_COMPILE_CACHE;

/**
 * Loads test files as Node loads any module, so that a worker loads PostGraphile once, not once a file. Jest's own runtime
 * gives each file modules of its own. Files that share a worker share the state of modules: tests leave none behind. Modules that
 * several files import use `test` and `describe` inside of functions, because each file has its own.
 *
 * Jest passes this class to its test framework in place of `jest-runtime` (the option `runtime`).
 */
export default class NativeRuntime {
  /** The test framework itself. A new one for each file, since it collects the tests of one file. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for("EVENT_HANDLERS")];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}
  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
