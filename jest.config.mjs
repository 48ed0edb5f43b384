/** Jest runs the TypeScript the way Node does, by stripping its types: what is tested is what is served. */
export default {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/support/strip-types.mjs" },
  testTimeout: 30_000,
};
