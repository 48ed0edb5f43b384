export interface ImportLine {
  /** Counted from 1. */
  number: number;
  /** Without the line feed. Undefined for a line that is too long. */
  bytes: Buffer | undefined;
}

const lineFeed = 10;

/** Splits a stream into lines, and holds no more than one of them in memory. */
export async function* readLines(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<ImportLine> {
  let number = 1;
  let size = 0;
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      const piece = chunk.subarray(start, end < 0 ? undefined : end);
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else pieces = [];
      if (end < 0) break;
      yield { number: number++, bytes: size <= maxBytes ? Buffer.concat(pieces) : undefined };
      pieces = [];
      size = 0;
      start = end + 1;
    }
  }
  if (size > 0) yield { number, bytes: size <= maxBytes ? Buffer.concat(pieces) : undefined };
}
