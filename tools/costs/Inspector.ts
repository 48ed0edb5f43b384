import { once } from "node:events";
import { WebSocket } from "ws";

/** The inspector of a Node process, which NODE_OPTIONS=--inspect=0 opens. */
export class Inspector implements Disposable {
  readonly #socket: WebSocket;
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await once(socket, "open");
    return new Inspector(socket);
  }

  /** The bytes of objects and buffers that are in use, after a collection of garbage. */
  async usedBytes(): Promise<number> {
    await this.#call("HeapProfiler.collectGarbage");
    const expression = "(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())";
    return (await this.#call("Runtime.evaluate", { expression })).result.value;
  }

  async #call(method: string, params: object = {}): Promise<any> {
    this.#calls += 1;
    const id = this.#calls;
    this.#socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [message] = await once(this.#socket, "message");
      const answer = JSON.parse(String(message));
      if (answer.id === id) return answer.result;
    }
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
