import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { openSmtp } from "../../src/mail/smtp.ts";
import { MailServer } from "../../tools/support/MailServer.ts";

/* What SMTP_URL says: TLS, STARTTLS, authentication. And servers that do not answer. */
const mail = {
  id: "7",
  kind: "RESET_PASSWORD",
  email: "ada@example.com",
  token: "abcdef0123456789",
  created_at: new Date("2026-01-01T00:00:00Z"),
  expires_at: new Date("2026-01-01T01:00:00Z"),
  name: "Ada",
  language: null,
};
const text = { subject: "A subject", text: "A text", html: undefined };
const onAuth: NonNullable<SMTPServerOptions["onAuth"]> = ({ username, password }, _session, done) =>
  password === "p@ss:word"
    ? done(null, { user: username ?? "" })
    : done(Object.assign(new Error("no"), { responseCode: 535 }));
const anyCertificate = "tls.rejectUnauthorized=false";

/** @param address as `smtps://ada:secret@HOST?…` */
async function send(options: SMTPServerOptions, address: string) {
  await using ends = new AsyncDisposableStack();
  const server = await new MailServer().start(options);
  ends.defer(() => server.stop());
  const smtp = openSmtp(address.replace("HOST", `127.0.0.1:${server.port}`), "hello@example.com");
  ends.defer(() => smtp.close());
  const outcome = await smtp.send(mail, text, AbortSignal.timeout(30_000));
  return { ...outcome, mails: server.mails.map(({ isSecure, user }) => ({ isSecure, user })) };
}

const starttls = { disabledCommands: [] };
test.each<[string, SMTPServerOptions, string, object]>([
  ["TLS from the start", { secure: true }, `smtps://HOST?${anyCertificate}`, { isSecure: true, user: "" }],
  ["TLS by STARTTLS", starttls, `smtp://HOST?${anyCertificate}`, { isSecure: true, user: "" }],
  [
    "a password",
    { ...starttls, onAuth },
    `smtp://ada:p%40ss%3Aword@HOST?${anyCertificate}`,
    { isSecure: true, user: "ada" },
  ],
])("%s", async (_what, options, address, mails) => {
  expect(await send(options, address)).toEqual({ state: "sent", mails: [mails] });
});

test.each<[string, SMTPServerOptions, string, RegExp]>([
  ["a certificate that nobody vouches for", { secure: true }, "smtps://HOST", /certificate/],
  ["a server without the TLS that the URL asks for", {}, "smtp://HOST?requireTLS=true", /STARTTLS/i],
  ["a wrong password", { ...starttls, onAuth }, `smtp://ada:wrong@HOST?${anyCertificate}`, /535/],
])("%s is a failure that concerns each mail, and may end", async (_what, options, address, reason) => {
  expect(await send(options, address)).toEqual({
    state: "failed",
    concerns: "server",
    reason: expect.stringMatching(reason),
    mails: [],
  });
});

test.each([
  ["says nothing", []],
  ["says nothing after EHLO", ["220 mail"]],
  ["says nothing after the sender", ["220 mail", "250 mail"]],
  ["says nothing after the text", ["220 mail", "250 mail", "250 ok", "250 ok", "354 go on"]],
])("a server that accepts and %s is left at the end of the attempt", async (_what, lines) => {
  const sockets: Socket[] = [];
  let said: () => void = () => {};
  const saidAll = new Promise<void>((resolve) => {
    said = resolve;
  });
  const server = createServer((socket) => {
    sockets.push(socket);
    const left = [...lines];
    const say = () => {
      const line = left.shift();
      if (line) socket.write(`${line}\r\n`);
      if (left.length === 0) said();
    };
    socket.on("data", say).on("error", () => {});
    say();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const smtp = openSmtp(`smtp://127.0.0.1:${(server.address() as { port: number }).port}`, "hello@example.com");
  const attempt = new AbortController();
  const outcome = smtp.send(mail, text, attempt.signal);
  await saidAll;
  attempt.abort();
  expect(await outcome).toMatchObject({ state: "failed" });
  smtp.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

test.each([
  ["NUL and control characters", "550 no\0\x07\x1b[2J\x7f\x9b such", "550 no [2J such"],
  ["characters that change the direction", "550 \u202eno\u2066 such", "550 no such"],
  ["bytes that are no UTF-8", Buffer.from([0x35, 0x35, 0x30, 0x20, 0xff, 0x00, 0xfe, 0x21]), /550 .*!/],
  ["a line of 100 KB", `550 ${"x".repeat(100_000)}`, /x…$/],
])("%s in a server's reply are no part of the reason", async (_what, reply, expected) => {
  const server = createServer((socket) => {
    const left = ["250 mail", "250 ok", reply];
    socket.on("data", () => socket.write(left.shift() ?? "250 ok") && socket.write("\r\n")).on("error", () => {});
    socket.write("220 mail\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const smtp = openSmtp(`smtp://127.0.0.1:${(server.address() as { port: number }).port}`, "hello@example.com");
  const outcome = await smtp.send(mail, text, AbortSignal.timeout(10_000));
  smtp.close();
  server.close();
  const reason = "reason" in outcome ? outcome.reason : "";
  expect(reason).toMatch(expected instanceof RegExp ? expected : new RegExp(`${expected.replace("[", "\\[")}$`));
  expect(reason).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,300}$/u);
});
