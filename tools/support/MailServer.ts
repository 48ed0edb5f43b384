import { text } from "node:stream/consumers";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** What a test says at a step of SMTP: nothing, or an error such as `550 5.1.1 unknown`. */
export type Reply = (address: string) => string | undefined | Promise<string | undefined>;

/** A real SMTP server on any free port. */
export class MailServer {
  readonly mails: (Email & { to: NonNullable<Email["to"]>; envelopeTo: string[]; isSecure: boolean; user: string })[] =
    [];
  replies: { from?: Reply; to?: Reply; data?: Reply } = {};
  #server: SMTPServer | undefined;
  port = 0;

  async start(options: SMTPServerOptions = {}): Promise<this> {
    const reply = async (say: Reply | undefined, address: string, done: (error?: Error) => void) => {
      const refusal = await say?.(address);
      if (!refusal) return done();
      const [, responseCode, message] = /^(\d+) (.*)$/.exec(refusal) ?? [];
      done(Object.assign(new Error(message), { responseCode: Number(responseCode) }));
    };
    this.#server = new SMTPServer({
      authOptional: true,
      closeTimeout: 100,
      logger: false,
      disabledCommands: options.secure ? [] : ["STARTTLS"],
      onMailFrom: ({ address }, _session, done) => void reply(this.replies.from, address, done),
      onRcptTo: ({ address }, _session, done) => void reply(this.replies.to, address, done),
      onData: (stream, session, done) => {
        void (async () => {
          const mail = await PostalMime.parse(await text(stream));
          const envelopeTo = session.envelope.rcptTo.map(({ address }) => address);
          const { secure: isSecure, user } = session;
          const refused = await this.replies.data?.(envelopeTo[0] ?? "");
          if (!refused) this.mails.push({ ...mail, to: mail.to ?? [], envelopeTo, isSecure, user: String(user || "") });
          await reply(() => refused, "", done);
        })().catch(() => {
          // The client has ended in the middle of its mail.
        });
      },
      ...options,
    });
    // A client that ends in the middle is no error of the server.
    this.#server.on("error", () => {});
    await new Promise<void>((resolve) => this.#server?.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.#server.server.address() as { port: number }).port;
    return this;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** The same port is used by the next start(). */
  stop(): Promise<void> {
    return new Promise((resolve) => this.#server?.close(() => resolve()));
  }
}
