/** `restante mcp`: tools of the Model Context Protocol over standard input and output. */
import { readRunningService } from "../../app/service-file.ts";
import { readAtMost, targetOf, Unreachable, type Api } from "../../mcp/api.ts";
import { serveStdio } from "../../mcp/protocol.ts";
import type { SmtpAddress } from "../../mcp/tool.ts";
import { type Action, type Call, configOf, exitCodes } from "../command.ts";
import { plainMessage } from "../plain-message.ts";
import { openService, type Service } from "./service-client.ts";

/** Longer than every request of a tool: a wait of a minute. */
const timeoutMs = 100_000;

/** Runs `restante mcp` until standard input ends. */
export const mcpCommandAction: Action = async (call) => {
  const { flags, terminal } = call;
  const { dataDir, mailDomain } = configOf(call);
  await serveStdio({
    api: createApi(call),
    server: flags.get("server") ?? terminal.environment["RESTANTE_SERVER"] ?? null,
    mailDomain,
    smtp: () => smtpOf(terminal.environment, dataDir),
    clock: terminal.clock,
    onFailure: (error) => {
      terminal.error(`restante: ${error instanceof Error ? plainMessage(error) : String(error)}\n`);
    },
  });
  return exitCodes.done;
};

/** Returns the SMTP listener of the service that runs when a tool is called. */
export function smtpOf(environment: Call["terminal"]["environment"], dataDir: string): SmtpAddress {
  if ((environment["RESTANTE_URL"] ?? "") !== "") return "unknown";
  const running = readRunningService(dataDir);
  return running === undefined ? "unknown" : (running.smtp ?? "off");
}

/** Returns the API of the service that runs when a request is sent. */
export function createApi(call: Call): Api {
  return async ({ method, headers: given = {}, body, bytesMax, ...others }, signal) => {
    const { url, key } = findService(call);
    const headers = { ...given, authorization: `Bearer ${key}`, "content-type": "application/json" };
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url + targetOf(others), {
        method,
        headers,
        signal: AbortSignal.any([signal, limit]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const content = await readAtMost((response.body ?? []) as AsyncIterable<Uint8Array>, bytesMax);
      return { status: response.status, headers: Object.fromEntries(response.headers), ...content };
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(url, error);
    }
  };
}

function findService(call: Call): Pick<Service, "url" | "key"> {
  try {
    return openService(call);
  } catch (error) {
    throw new Unreachable(`${(error as Error).message}. Ask the user to do that, and call the tool again.`);
  }
}

function unreachable(url: string, error: unknown): Unreachable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? ` (${cause.message})` : "";
  return new Unreachable(
    `restante does not respond at ${new URL(url).origin}${reason}. Ask the user to start it (restante serve) or to correct RESTANTE_URL, and call the tool again.`,
    { cause: error },
  );
}
