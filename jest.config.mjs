/** Jest with plain Node modules: what is tested is loaded as what is served, and once a worker. */
export default {
  runtime: "<rootDir>/test/support/jest/NativeRuntime.mjs",
  testEnvironment: "<rootDir>/test/support/jest/NativeEnvironment.mjs",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: {},
  globalSetup: "<rootDir>/test/support/globalSetup.mjs",
  globalTeardown: "<rootDir>/test/support/globalTeardown.mjs",
  reporters: [
    "default",
    "<rootDir>/test/support/jest/SlowestReporter.mjs",
    "<rootDir>/test/support/jest/SkippedReporter.mjs",
  ],
  // Ends what hangs. A machine that is busy with other things may take a minute for what takes a second.
  testTimeout: 300_000,
  // More than the cores of a small machine: a test waits for PostgreSQL half of its time.
  maxWorkers: 4,
  // A worker has loaded PostGraphile: on a busy machine, Node takes seconds to free that. A leak would take all of this time.
  workerGracefulExitTimeout: 10_000,
};
