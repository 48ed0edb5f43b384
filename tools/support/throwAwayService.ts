import { rmSync } from "node:fs";
import { join } from "node:path";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { copyMadeDatabase, temporaryDirectory } from "./dataDirectory.ts";
import { ServiceProcess } from "./ServiceProcess.ts";

export interface ThrowAwayService extends AsyncDisposable {
  process: ServiceProcess;
  /** The URL of the endpoint. */
  url: string;
  authorizationOf(userId: string): Promise<string>;
}

const secret = "a secret of thirty-two bytes or more, for tests";

/** Starts the service as `npm start` does, with the sample content, on a data directory that is deleted afterwards. */
export async function startThrowAwayService(environment: Record<string, string> = {}): Promise<ThrowAwayService> {
  const directory = temporaryDirectory("service");
  copyMadeDatabase(join(directory, "postgres"));
  const service = new ServiceProcess({ DATA_DIR: directory, JWT_SECRET: secret, ...environment });
  const sign = createTokenSigner({ secret }) as SignToken;
  return {
    process: service,
    url: await service.url(),
    authorizationOf: async (userId) => `Bearer ${(await sign(userId, 3_600)).token}`,
    async [Symbol.asyncDispose]() {
      await service.end("SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
