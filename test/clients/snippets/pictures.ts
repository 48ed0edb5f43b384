import { createHash, createHmac, randomUUID } from "node:crypto";
import type { Session } from "./session.ts";

/** A bucket of S3, or of another store with its protocol. */
export interface Bucket {
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const extensions: Record<string, string> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

/** For a route of the app's own server: where the user's browser may PUT a picture, and the URL that it has then. */
export async function requestUpload(session: Session, bucket: Bucket, type: string, bytes: number) {
  const extension = extensions[type];
  if (!extension || bytes > 2_000_000) throw new Error("A picture is JPEG, PNG or WebP, of 2 MB at most.");
  const { me } = await session.ask<{ me: { id: string } | null }>("query Me { me { id } }");
  if (!me) throw new Error("Sign in first.");
  const path = `/pictures/${me.id}/${randomUUID()}.${extension}`;
  // The store refuses another type or length than the signed one.
  const uploadUrl = presign(bucket, "PUT", path, { "content-length": String(bytes), "content-type": type });
  return { uploadUrl, url: new URL(path, bucket.url).href };
}

/** A URL that allows one request for some seconds, by AWS Signature Version 4. Names of headers are in lower case. */
export function presign(
  { url, region, accessKeyId, secretAccessKey }: Bucket,
  method: "GET" | "PUT",
  path: string,
  headers: Record<string, string> = {},
  seconds = 300,
  now = new Date(),
): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const parts = [time.slice(0, 8), region, "s3", "aws4_request"];
  const { host, origin } = new URL(url);
  const signed = Object.entries({ ...headers, host }).sort();
  const names = signed.map(([name]) => name).join(";");
  const query = [
    "X-Amz-Algorithm=AWS4-HMAC-SHA256",
    `X-Amz-Credential=${encodeURIComponent([accessKeyId, ...parts].join("/"))}`,
    `X-Amz-Date=${time}`,
    `X-Amz-Expires=${seconds}`,
    `X-Amz-SignedHeaders=${encodeURIComponent(names)}`,
  ].join("&");
  const lines = signed.map(([name, value]) => `${name}:${value}`);
  const request = [method, path, query, ...lines, "", names, "UNSIGNED-PAYLOAD"].join("\n");
  const digest = createHash("sha256").update(request).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = parts.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, ["AWS4-HMAC-SHA256", time, parts.join("/"), digest].join("\n")).toString("hex");
  return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
}
