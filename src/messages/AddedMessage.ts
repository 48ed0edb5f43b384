/**
 * A message has been added to a chat. Whoever is told in the same breath is given the very same object, so that what is
 * worked out for one can be hung on it (a WeakMap) for the others.
 */
export interface AddedMessage {
  readonly messageId: string;
  readonly chatId: string;
  /** Its place in the chat: later messages have higher ones, and no two the same. */
  readonly number: number;
}
