import { rm } from "node:fs/promises";

export default async function tearDown() {
  await globalThis.stopTestDatabase?.();
  await rm(process.env.NODE_COMPILE_CACHE, { recursive: true, force: true });
}
