import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";

/** A Jest transform: the same type stripping with which Node starts the service. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source) => createHash("sha256").update(process.version).update(source).digest("hex"),
};
