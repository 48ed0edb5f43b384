/**
 * A message has been added to a chat. Subscribers that are served by the same read receive the same object, so that a WeakMap
 * can share what is computed for one with the others.
 */
export interface AddedMessage {
  readonly messageId: string;
  readonly chatId: string;
  /** The message's place in the chat: later messages have higher numbers, and no two have the same. */
  readonly number: number;
}
