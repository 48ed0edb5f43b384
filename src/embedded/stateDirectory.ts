import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";

/** Where the system keeps what programs leave for later, and everybody can go: for what cannot stay in the checkout. */
export function stateDirectory(): string {
  try {
    accessSync("/var/lib", constants.W_OK);
    return "/var/lib";
  } catch {
    return tmpdir();
  }
}
