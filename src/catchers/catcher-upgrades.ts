import { Problem } from "../core/errors.ts";
import { KeySlots } from "../core/key-slots.ts";
import type { Upgrade, UpgradeHandler } from "../http/upgrades.ts";
import { authorizeCatcher } from "./authorize.ts";
import type { Catcher, CatcherSocket } from "./catcher.ts";
import type { CatcherOptions } from "./catcher-routes.ts";

/** Returns the handler of the web socket of an API; null when it has none. */
export function createCatcherUpgrade(catcher: Catcher, options: CatcherOptions): UpgradeHandler | null {
  const { socket } = catcher;
  if (socket === undefined) return null;
  let slots: KeySlots | undefined;
  return {
    route: `/${catcher.name}${socket.path}`,
    matches: ({ method, url = "", headers }) =>
      method === "GET" && url.split("?", 1)[0] === socket.path && String(headers.upgrade).toLowerCase() === "websocket",
    accept: async (upgrade) => {
      slots ??= new KeySlots(upgrade.context.limits.eventStreamCountPerKeyMax, "event streams");
      await accept(upgrade, { socket, options, slots });
    },
  };
}

interface Acceptance {
  readonly socket: CatcherSocket;
  readonly options: CatcherOptions;
  /** Open web sockets of each key. */
  readonly slots: KeySlots;
}

async function accept(upgrade: Upgrade, { socket, options, slots }: Acceptance): Promise<void> {
  const { context, request, clientAddress } = upgrade;
  const { headers } = request;
  const caller = await authorizeCatcher({ context, headers, clientAddress }, options.access, socket.permission);
  const free = slots.take(caller.principal.keyId);
  try {
    const { openWebSocket } = await import("./web-socket.ts");
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, context.closing]);
    const { version } = options;
    const texts = socket.open({ context, version, ...caller, signal: () => signal });
    await openWebSocket(upgrade, texts, () => {
      gone.abort();
      free();
    });
  } catch (error) {
    free();
    throw error instanceof Problem ? error : new Problem("internal", { cause: error });
  }
}
