import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { useService } from "../support/service.ts";
import { makeKey } from "./testKey.ts";

/* When another service signs the tokens, signing in is refused. */
const directory = await mkdtemp(join(tmpdir(), "content-service-keys-"));
const keys = join(directory, "keys.json");
await writeFile(keys, JSON.stringify({ keys: [(await makeKey("ES256", "one")).publicJwk] }));
const service = useService({ token: { jwksUrl: pathToFileURL(keys).href } });
afterAll(() => rm(directory, { recursive: true }));

test.each([
  ["signIn", `signIn(email: "eve@example.com", password: "long enough") { userId }`],
  ["signIn", `signIn(email: "eve@example.com", password: "long enough") { refreshToken accessToken }`],
  ["refreshSession", `refreshSession(refreshToken: "x") { refreshToken }`],
])("%s is refused, and no session is created: %s", async (field, selection) => {
  await service.ask(`mutation { createUser(name: "Eve", email: "eve@example.com", password: "long enough") { id } }`);
  const { data, errors } = await service.ask(`mutation { ${selection} }`);
  expect(data).toEqual({ [field]: null });
  expect(errors?.map(({ message, path, extensions }) => ({ message, path, extensions }))).toEqual([
    {
      message: "This service does not issue tokens.",
      path: [field],
      extensions: { code: "UNAUTHORIZED", reason: "FORBIDDEN" },
    },
  ]);
  expect(await service.database.query("select from app_private.sessions")).toHaveLength(0);
  expect(await service.database.query("select from app_private.failed_sign_ins")).toHaveLength(0);
});
