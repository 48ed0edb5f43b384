import type { Attack } from "./Attack.ts";
import { advisoryLocks, busyBackend, schemaNotices } from "./database.ts";
import {
  busyMachine,
  counts,
  introspection,
  largeVariables,
  nestedBodies,
  newDocuments,
  planning,
  refusedDocuments,
} from "./documents.ts";
import { liveResults } from "./liveResults.ts";
import { accounts, largeAnswers, slowReaders } from "./multiples.ts";
import { hangingEndpoints, hangingMailServer, lockedTable, lockedWebhook, slowPolicy } from "./rooms.ts";
import {
  catchUps,
  costlyEvents,
  idleSubscriptions,
  largeEvents,
  pings,
  refusedSubscribes,
  slowCatchUps,
  stalledSockets,
} from "./sockets.ts";
import { chatTitleMarks, manyTags, passwordMarks, postTitleMarks, sameRow, sameTitle, search } from "./texts.ts";

/** The attacks by name. The first one harms nobody: its ratios show the noise of the machine. */
export const attacks: Record<string, Attack> = {
  "busy-machine": busyMachine,
  "busy-backend": busyBackend,
  "password-marks": passwordMarks,
  "post-title-marks": postTitleMarks,
  "chat-title-marks": chatTitleMarks,
  "many-tags": manyTags,
  "same-title": sameTitle,
  "same-row": sameRow,
  search,
  "new-documents": newDocuments,
  "refused-documents": refusedDocuments,
  "nested-bodies": nestedBodies,
  "large-variables": largeVariables,
  counts,
  planning,
  introspection,
  "large-answers": largeAnswers,
  "slow-readers": slowReaders,
  accounts,
  pings,
  "refused-subscribes": refusedSubscribes,
  "catch-ups": catchUps,
  "slow-catch-ups": slowCatchUps,
  "costly-events": costlyEvents,
  "large-events": largeEvents,
  ...liveResults,
  "stalled-sockets": stalledSockets,
  "idle-subscriptions": idleSubscriptions,
  "schema-notices": schemaNotices,
  "advisory-locks": advisoryLocks,
  "locked-table": lockedTable,
  "slow-policy": slowPolicy,
  "locked-webhook": lockedWebhook,
  "hanging-endpoints": hangingEndpoints,
  "hanging-mail-server": hangingMailServer,
};
