import { LRUCache } from "lru-cache";
import { latest, type WalPosition } from "pg-caller-pool";

const maxUsers = 100_000;
/** Beyond the longest lag of a replica: the time until a replica's lag is noticed. */
const graceMs = 5_000;

/** The log position of each user's last write. A replica that has not replayed it must not serve that user. */
export class OwnWrites {
  /** After this time, every replica in the rotation has replayed a write. */
  readonly seconds: number;
  readonly #byUser: LRUCache<string, WalPosition>;

  constructor(replicaMaxLagMs: number) {
    const ttl = replicaMaxLagMs + graceMs;
    this.seconds = Math.ceil(ttl / 1_000);
    this.#byUser = new LRUCache({ max: maxUsers, ttl });
  }

  of(userId: string | undefined): WalPosition | undefined {
    return userId === undefined ? undefined : this.#byUser.get(userId);
  }

  note(userId: string | undefined, position: WalPosition): void {
    if (userId !== undefined) this.#byUser.set(userId, latest(this.of(userId), position) as WalPosition);
  }
}
