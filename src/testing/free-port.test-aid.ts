import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Ports below those that Linux and macOS give to programs that ask for any port. */
const portMin = 15_000;
const portEnd = 32_000;

/** Returns a free port, which no program gets that asks for any port before the caller uses it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(portMin, portEnd);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
