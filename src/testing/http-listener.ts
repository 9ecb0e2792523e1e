/** HTTP server with scripted responses that records its requests: the webhook of an application, or a provider. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readBody } from "node:stream/consumers";

/** Recorded request. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Fields of a form body. */
  readonly form: Readonly<Record<string, string>>;
}

/** Returns the response to a request, after its body was read; `number` counts requests from 0. */
export type HttpScript = (
  request: ReceivedRequest,
  number: number,
) => { readonly status: number; readonly body?: string; readonly type?: string };

/** Server that listens until it is disposed. */
export interface HttpListener extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startHttpListener(script: HttpScript): Promise<HttpListener> {
  const requests: ReceivedRequest[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = request;
    const body = await readBody(request);
    const one = { method, path, headers, body, form: Object.fromEntries(new URLSearchParams(body)) };
    const { status, body: answer = "", type = "application/json" } = script(one, requests.push(one) - 1);
    response.writeHead(status, { "content-type": type }).end(answer);
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
