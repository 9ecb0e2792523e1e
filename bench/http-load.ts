/** HTTP load over keep-alive connections, with little CPU time of its own. */
import { connect, type Socket } from "node:net";

/** Requests of the load. */
export interface HttpLoad {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
  /** Path and query of the request with this number. */
  readonly path: (number: number) => string;
  readonly headers: string;
}

/** Responses per second, and the body of the last response. */
export interface HttpResult {
  readonly rate: number;
  readonly lastBody: Buffer;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Sends requests over all connections concurrently, one in flight on each. Rejects on any status that is not 2xx. */
export async function loadHttp(load: HttpLoad): Promise<HttpResult> {
  let next = 0;
  let lastBody: Buffer = Buffer.alloc(0);
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    const client = await HttpClient.open(load.port);
    for (let number = next++; number < load.requests; number = next++) {
      lastBody = await client.get(load.path(number), load.headers);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: load.connections }, work));
  return { rate: (load.requests / (performance.now() - startedAt)) * 1000, lastBody };
}

/** Client with one keep-alive connection and one request at a time. */
export class HttpClient {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #size = 0;
  #wanted = Infinity;
  #settle: ((body: Buffer) => void) | null = null;
  #fail: ((error: Error) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on("error", (error) => this.#fail?.(error));
    socket.on("close", () => this.#fail?.(new Error("connection closed")));
  }

  static async open(port: number): Promise<HttpClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        resolve(new HttpClient(socket));
      });
      socket.once("error", reject);
    });
  }

  async get(path: string, headers: string): Promise<Buffer> {
    return this.#ask(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`);
  }

  async post(path: string, headers: string, json: string): Promise<Buffer> {
    const fields = `${headers}Content-Type: application/json\r\nContent-Length: ${String(Buffer.byteLength(json))}\r\n`;
    return this.#ask(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n${json}`);
  }

  /** Posts a body whose type is one of the header fields. */
  async send(path: string, headers: string, body: Uint8Array): Promise<Buffer> {
    const length = `Content-Length: ${String(body.length)}\r\n`;
    const head = Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${length}\r\n`);
    return this.#ask(Buffer.concat([head, body]));
  }

  async #ask(text: string | Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#fail = null;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#wanted === Infinity) this.#wanted = wholeLength(Buffer.concat(this.#chunks));
    if (this.#wanted === chunked ? !chunk.subarray(-lastChunk.length).equals(lastChunk) : this.#size < this.#wanted)
      return;
    const answer = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#size = 0;
    this.#wanted = Infinity;
    if (answer.toString("latin1", 9, 10) !== "2") this.#fail?.(new Error(answer.toString("utf8", 0, 300)));
    else this.#settle?.(answer.subarray(answer.indexOf(headEnd) + 4));
  }
}

/** Length of a response in chunks, whose body is returned with their sizes. */
const chunked = -1;
const lastChunk = Buffer.from("0\r\n\r\n");

function wholeLength(seen: Buffer): number {
  const end = seen.indexOf(headEnd);
  if (end === -1) return Infinity;
  if (/transfer-encoding: chunked/i.test(seen.toString("latin1", 0, end))) return chunked;
  const length = /content-length: (\d+)/i.exec(seen.toString("latin1", 0, end))?.[1];
  return end + 4 + Number(length ?? 0);
}
