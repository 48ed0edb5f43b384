/** Endpoints with an attempt under way. */
const maxEndpoints = 100;
/** Of these, endpoints whose last attempt has failed, or that do not respond. Half of the room is for those that do. */
const maxUnsure = 50;
/** Attempts under way for one endpoint, each for another key: some of its own, and more from a room that all share. One that fails has one. */
const [maxOwn, maxPerEndpoint, maxShared] = [3, 10, 50];
/** An endpoint that has responded to nothing for so long may hang, or only the key that it has: it gets one more of its own after each such time. */
const slowMs = 1_000;

interface Candidate {
  name: string;
  /** How many keys are due. */
  due: number;
  /** How many attempts have failed in a row. */
  failures: number;
}

/** The attempts under way, and who may begin more: an endpoint that hangs or fails takes no room from one that responds. */
export class AttemptSlots {
  /** The times of the attempts under way, by endpoint. */
  readonly #begun = new Map<string, Map<symbol, number>>();
  readonly #lastBegun = new Map<string, number>();
  readonly #lastResponded = new Map<string, number>();

  /** @returns ends the attempt: whether the endpoint has responded */
  begin(endpoint: string): (hasResponded: boolean) => void {
    const attempt = Symbol();
    const attempts = this.#begun.get(endpoint) ?? new Map<symbol, number>();
    const now = performance.now();
    this.#begun.set(endpoint, attempts.set(attempt, now));
    this.#lastBegun.set(endpoint, now);
    return (hasResponded) => {
      if (hasResponded) this.#lastResponded.set(endpoint, performance.now());
      attempts.delete(attempt);
      if (attempts.size === 0) this.#begun.delete(endpoint);
    };
  }

  /** @returns how many attempts each endpoint may begin now; those without any are left out */
  allot(candidates: readonly Candidate[]): Map<string, number> {
    const names = new Set(candidates.map(({ name }) => name));
    for (const known of [this.#lastBegun, this.#lastResponded]) {
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    }
    const lastBegun = ({ name }: Candidate) => this.#lastBegun.get(name) ?? 0;
    const inTurn = candidates.filter(({ due }) => due > 0).toSorted((one, other) => lastBegun(one) - lastBegun(other));
    const counts = new Map<string, number>();
    let endpoints = this.#begun.size;
    const isUnsure = (each: Candidate) => each.failures > 0 || this.#isSlow(each.name);
    let unsure = candidates.filter((each) => this.#begun.has(each.name) && isUnsure(each)).length;
    for (const each of inTurn) {
      if (this.#begun.has(each.name) || endpoints >= maxEndpoints || (isUnsure(each) && unsure >= maxUnsure)) continue;
      counts.set(each.name, 1);
      endpoints++;
      if (isUnsure(each)) unsure++;
    }
    let shared = [...this.#begun.values()].reduce((sum, { size }) => sum + Math.max(0, size - maxOwn), 0);
    for (const each of inTurn) {
      const first = counts.get(each.name) ?? 0;
      const held = first + (this.#begun.get(each.name)?.size ?? 0);
      if (held === 0 || each.failures > 0) continue;
      const own = Math.max(0, maxOwn - held);
      const room = this.#isSlow(each.name)
        ? Math.min(own, lastBegun(each) < performance.now() - slowMs ? 1 : 0)
        : Math.min(own + maxShared - shared, maxPerEndpoint - held);
      const more = Math.min(each.due - first, room);
      if (more <= 0) continue;
      counts.set(each.name, first + more);
      shared += Math.max(0, more - own);
    }
    return counts;
  }

  /** Whether an attempt that has begun since the last response waits for long. */
  #isSlow(name: string): boolean {
    const responded = this.#lastResponded.get(name) ?? 0;
    const oldest = [...(this.#begun.get(name)?.values() ?? [])].find((begun) => begun > responded);
    return oldest !== undefined && performance.now() - oldest > slowMs;
  }
}
