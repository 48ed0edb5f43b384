import { ByteLedger } from "../../src/memory/ByteLedger.ts";

/* Loaded into a service before all else (probeMemory.ts): on SIGUSR2, it prints what its memory holds, and what its ledger says of that. */

let ledger: ByteLedger | undefined;
const { account } = ByteLedger.prototype;
ByteLedger.prototype.account = function (this: ByteLedger, address) {
  ledger = this;
  return account.call(this, address);
};

process.on("SIGUSR2", () => {
  // Twice: what the first collection finalizes is freed by the second one.
  for (let turn = 0; turn < 2; turn++) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { held, max, free } = ledger ?? new ByteLedger(0);
  const charged = max - free;
  process.stdout.write(`\nMEMORY ${JSON.stringify({ live: heapUsed + external, charged, held, rss })}\n`);
});
