/** Jest runs the TypeScript the way Node does, by stripping its types: what is tested is what is served. */
export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/support/strip-types.mjs" },
  globalSetup: "<rootDir>/test/support/globalSetup.mjs",
  globalTeardown: "<rootDir>/test/support/globalTeardown.mjs",
  testTimeout: 30_000,
  // More than the cores of a small machine: a test waits for PostgreSQL half of its time.
  maxWorkers: 3,
  // What a test file has loaded stays in its worker. Beyond this, a new worker is cheaper than its garbage collections.
  workerIdleMemoryLimit: "700MB",
};
