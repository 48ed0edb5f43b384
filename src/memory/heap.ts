/* The heap that things take, roughly, to be charged before they are made. */

/** For each byte that is read from PostgreSQL: the rows, the result, and its text. */
export const heapPerByteRead = 4;
/** For each byte of a result's text: the text, a message with it, and the bytes of that for the socket. */
export const heapPerByteSent = 3;
/** A connection that stays open, a WebSocket or an event stream. */
export const connectionHeap = 14_336;
/** An open subscription, beside its document and variables. */
export const subscriptionHeap = 4_608;
/** For each character of a document; longer ones have no more tokens. */
const heapPerCharacter = 128;
const maxCharacters = 4_096;
/** For each byte of a message on a WebSocket, when it is parsed: at most that of `[]`. Parsing the largest takes 1 ms. */
export const heapPerMessageByte = 16;

/** A result of unknown size, at least. */
export const leastResultHeap = 16_384;

export function documentHeap(query: string): number {
  return Math.min(query.length, maxCharacters) * heapPerCharacter;
}

/** For the first byte of a list or an object, of a value after another one, and of an object's value. */
const heapOf = new Uint8Array(256);
heapOf[0x5b] = heapOf[0x7b] = 48;
heapOf[0x2c] = 32;
heapOf[0x3a] = 64;

/** A JSON text, once it is parsed, and its text as a string. */
export function jsonHeap(text: Uint8Array): number {
  let heap = 2 * text.length;
  for (let index = 0; index < text.length; index++) heap += heapOf[text[index] as number] as number;
  return heap;
}
