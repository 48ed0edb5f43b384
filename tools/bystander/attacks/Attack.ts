import type { Attacker } from "../Attacker.ts";

export interface Attack {
  title: string;
  /** SQL that the owner runs first. `$1` is the id of the attacker. */
  prepare?: string;
  /** Further settings of the service, given the free port of `Place`. */
  environment?: (port: number) => Record<string, string>;
  /** The heap of the service; by default, the smallest one that it promises to live with. */
  heapMB?: number;
  /** An attack that takes time to begin is measured after this time, and not after the burst of others. */
  burstSeconds?: number;
  /** The attack goes on after the measurement until it has had this many answers. */
  leastAnswers?: number;
  /** Attacks until the attacker's signal is aborted. */
  run(attacker: Attacker): Promise<unknown>;
}
