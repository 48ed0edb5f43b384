import { createSecretKey } from "node:crypto";
import { jwtVerify } from "jose";
import { secret } from "./serve.ts";

const key = createSecretKey(secret ?? "", "utf8");

/**
 * @param authorization the header of a request
 * @returns the id of the user whose token it has
 * @throws when there is no valid token
 */
export async function verifyUser(authorization = ""): Promise<string> {
  const options = { algorithms: ["HS256"], requiredClaims: ["exp", "sub"] };
  const { payload } = await jwtVerify(authorization.replace(/^Bearer /, ""), key, options);
  return payload.sub as string;
}
