/** Application that receives the callbacks of a provider. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { vi } from "vitest";

/** Request to the application. */
export interface Notified {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Response of the application; 200 without a body by default. */
interface Answer {
  readonly status?: number;
  readonly body?: string;
}

/** Running application. */
export interface Application extends AsyncDisposable {
  readonly origin: string;
  /** Waits for items in the requests to a path, one in each by default, and returns those received so far. */
  readonly receivedAt: {
    (path: string, count: number): Promise<readonly Notified[]>;
    <Item>(path: string, count: number, itemsOf: (request: Notified) => readonly Item[]): Promise<readonly Item[]>;
  };
}

/** Starts an application, which answers a request after it was received. */
export async function startApplication(answer: (request: Notified) => Answer = () => ({})): Promise<Application> {
  const received: Notified[] = [];
  const server = createServer((incoming, outgoing) => {
    const respond = async (): Promise<void> => {
      const { url: path = "", headers } = incoming;
      const request = { path, headers, body: await text(incoming) };
      received.push(request);
      const { status = 200, body = "" } = answer(request);
      outgoing.writeHead(status, { "content-type": "text/plain" }).end(body);
    };
    void respond();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    receivedAt: async <Item = Notified>(
      path: string,
      count: number,
      itemsOf: (request: Notified) => readonly Item[] = (request) => [request as Item],
    ) =>
      vi.waitFor(
        () => {
          const found = received.filter((one) => one.path === path).flatMap(itemsOf);
          if (found.length < count) throw new Error(`${String(found.length)} items at ${path}`);
          return found;
        },
        { interval: 50, timeout: 10_000 },
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
