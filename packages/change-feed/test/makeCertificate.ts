import type { Certificate } from "@content-service/testing/WebhookReceiver.ts";
import { generate } from "selfsigned";

/** A certificate that nobody but itself vouches for, by default of 127.0.0.1 and valid for a hundred years. */
export async function makeCertificate({ address = "127.0.0.1", until = "2126-01-01" } = {}): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: "commonName", value: address }], {
    keyType: "ec",
    notBeforeDate: new Date("2000-01-01"),
    notAfterDate: new Date(until),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: address }] }],
  });
  return { cert, key };
}
