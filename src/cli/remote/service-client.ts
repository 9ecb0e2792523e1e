/** Client of commands that need a running service: that of `RESTANTE_URL`, or that of the data folder. */
import { readKeyFile } from "../../app/account.ts";
import { readRunningService } from "../../app/service-file.ts";
import type { Config } from "../../app/settings/config.ts";
import { RestanteClient } from "../../client/client.ts";
import { readClientOptions } from "../../client/options.ts";
import { createTransport, type Transport } from "../../client/transport.ts";
import { trimEnd } from "../../core/trim.ts";
import { type Action, type Call, configOf, exitCodes, print, type Printed } from "../command.ts";

const timeoutMs = 30_000;

/** Running service. */
export interface Service {
  readonly client: RestanteClient;
  /** Sends operations whose parameters are those of the user, and responses that are read in chunks. */
  readonly transport: Transport;
  /** Base URL of the API, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** Server of `--server`, of `RESTANTE_SERVER`, or the first one of the data folder's service; throws without any. */
  readonly server: string;
}

/** Opens the client. Throws an `Error` for the operator when there is no service or key. */
export function openService(call: Call): Service {
  const config = configOf(call);
  const { url, firstServer } = findService(call, config);
  const key = config.apiKey ?? readKeyFile(config.dataDir);
  if (key === undefined) throw new Error("The key of the service is not in its data folder; set RESTANTE_API_KEY");
  const server = call.flags.get("server") ?? call.terminal.environment["RESTANTE_SERVER"] ?? firstServer;
  return {
    ...connect(url, key),
    url,
    key,
    get server() {
      if (server === undefined) throw new Error("Name a server with --server");
      return server;
    },
  };
}

/** Returns the client of the service at a URL. A command is not repeated: its user does that. */
export function connect(url: string, apiKey: string): Pick<Service, "client" | "transport"> {
  const options = { url, apiKey, retries: 0 };
  return { client: new RestanteClient(options), transport: createTransport(readClientOptions(options)) };
}

/** Whether a restante service responds at a URL. The key is not sent: another program may listen there. */
export async function isServiceAt(url: string): Promise<boolean> {
  try {
    const { ok, status, headers } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(timeoutMs) });
    return ok || (status === 401 && headers.get("www-authenticate") === 'Basic realm="restante"');
  } catch {
    // Connection failed: no service.
    return false;
  }
}

/** Returns a link that signs one browser in as the key of a service, once. Throws an `Error` for the operator. */
export async function issueSignInLink({ url, key }: Pick<Service, "url" | "key">): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const options = { method: "POST", headers, signal: AbortSignal.timeout(timeoutMs) };
  const response = await fetch(`${url}/web/sign-in-links`, options);
  if (response.status === 401) throw new Error("Invalid API key; set RESTANTE_API_KEY to a key of this service");
  if (!response.ok) throw new Error(`The service issues no link to its web UI (status ${String(response.status)})`);
  return ((await response.json()) as { readonly url: string }).url;
}

function findService(
  { terminal }: Call,
  { dataDir }: Config,
): { readonly url: string; readonly firstServer: string | undefined } {
  const given = terminal.environment["RESTANTE_URL"] ?? "";
  if (given !== "") return { url: trimEnd(given, "/"), firstServer: undefined };
  const address = readRunningService(dataDir);
  if (address !== undefined && address.url !== null) return { url: address.url, firstServer: address.server };
  const reason = `No service with an HTTP listener is running in ${dataDir}`;
  throw new Error(`${reason}; start restante serve, or set RESTANTE_URL`);
}

/** Function of a command, which gets the running service. The exit code is that of success unless it returns another. */
export type Run = (
  service: Service,
  call: Call,
) => Promise<Printed | { readonly printed: Printed; readonly exitCode: number }>;

/** Returns the action of a command that prints what `run` returns. */
export function printing(run: Run): Action {
  return async (call) => {
    const result = await run(openService(call), call);
    const { printed, exitCode } =
      typeof result === "object" && "exitCode" in result ? result : { printed: result, exitCode: exitCodes.done };
    print(call.terminal, printed);
    return exitCode;
  };
}
