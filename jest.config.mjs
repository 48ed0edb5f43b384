/** Jest with plain Node modules: what is tested is loaded as what is served, and once a worker. */
export default {
  runtime: "<rootDir>/test/support/jest/NativeRuntime.mjs",
  testEnvironment: "<rootDir>/test/support/jest/NativeEnvironment.mjs",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: {},
  globalSetup: "<rootDir>/test/support/globalSetup.mjs",
  globalTeardown: "<rootDir>/test/support/globalTeardown.mjs",
  reporters: ["default", "<rootDir>/test/support/jest/SkippedReporter.mjs"],
  testTimeout: 60_000,
  // More than the cores of a small machine: a test waits for PostgreSQL half of its time.
  maxWorkers: 4,
  // A worker has loaded PostGraphile: on a busy machine, Node takes seconds to free that. A leak would take all of this time.
  workerGracefulExitTimeout: 10_000,
};
