import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createHttpApp } from "../http/app.ts";
import type { HttpOptions } from "../http/options.ts";

/** An HTTP listener as bound. */
export interface HttpDoor {
  readonly port: number;
  /** Stops accepting and lets what is under way end; resolves when nothing is left. */
  readonly close: () => Promise<void>;
}

/** Opens the API on a port of `host` (0: a free one); rejects when it cannot be had. */
export async function openHttpDoor(options: HttpOptions, host: string, port: number): Promise<HttpDoor> {
  const app = await createHttpApp(options);
  const server = app.createListener();
  try {
    server.listen({ host, port });
    await once(server, "listening");
    return { port: (server.address() as AddressInfo).port, close: app.close };
  } catch (error) {
    await app.close();
    throw error;
  }
}
