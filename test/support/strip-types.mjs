import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";

/** A Jest transform that strips types as Node does when it starts the service. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source) => createHash("sha256").update(process.version).update(source).digest("hex"),
};
