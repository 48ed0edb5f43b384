import type * as jest from "@jest/globals";

/** Jest's functions are globals: with plain modules, nothing can be imported from `@jest/globals` but types. */
declare global {
  const afterAll: typeof jest.afterAll;
  const afterEach: typeof jest.afterEach;
  const beforeAll: typeof jest.beforeAll;
  const beforeEach: typeof jest.beforeEach;
  const describe: typeof jest.describe;
  const expect: typeof jest.expect;
  const test: typeof jest.test;
}
