import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { ServiceProcess } from "./child.ts";

export interface ThrowAwayService {
  process: ServiceProcess;
  url: string;
  authorizationOf(userId: string): Promise<string>;
  stop(): Promise<void>;
}

const secret = "a secret of thirty-two bytes or more, for tests";

/** The service as `npm start` has it, sample content and all, in a directory that is deleted behind it. */
export async function startThrowAway(environment: Record<string, string> = {}): Promise<ThrowAwayService> {
  const directory = mkdtempSync(join(tmpdir(), "content-service-"));
  const service = new ServiceProcess({ DATA_DIR: directory, JWT_SECRET: secret, ...environment });
  const url = await service.url();
  const sign = createTokenSigner({ secret });
  return {
    process: service,
    url,
    authorizationOf: async (userId) => `Bearer ${(await sign?.(userId, 3_600))?.token}`,
    async stop() {
      await service.end("SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
