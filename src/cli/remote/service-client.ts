import { readFileSync } from "node:fs";
/** Client of commands that need a running service: that of `RESTANTE_URL`, or that of the data folder. */
import { readKeyFile } from "../../app/account.ts";
import { readRunningService } from "../../app/service-file.ts";
import type { Config } from "../../app/settings/config.ts";
import { RestanteClient } from "../../client/client.ts";
import { readClientOptions } from "../../client/options.ts";
import { createTransport, type Transport } from "../../client/transport.ts";
import { trimEnd } from "../../core/trim.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { configOf } from "../config-of.ts";

const timeoutMs = 30_000;

/** Running service. */
export interface Service {
  readonly client: RestanteClient;
  /** Sends operations whose parameters are those of the user, and responses that are read in chunks. */
  readonly transport: Transport;
  /** Base URL of the API, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** First server of the data folder's service. */
  readonly firstServer: string | undefined;
}

/** Running service, and the server of `--server`. */
export interface ServiceClient extends Service {
  readonly server: string;
}

/** Opens the client of commands about the whole service. Throws an `Error` for the operator when there is no service or key. */
export function openService(call: Call): Service {
  const config = configOf(call);
  const { url, firstServer } = findService(call, config);
  const key = config.apiKey ?? readKeyFile(config.dataDir);
  if (key === undefined) throw new Error("The key of the service is not in its data folder; set RESTANTE_API_KEY");
  return { ...connect(url, key), url, key, firstServer };
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

/** Opens the client. Throws an `Error` for the operator when there is no service, key or server. */
export function openServiceClient(call: Call): ServiceClient {
  const service = openService(call);
  const server = call.flags.get("server") ?? call.terminal.environment["RESTANTE_SERVER"] ?? service.firstServer;
  if (server === undefined) throw new Error("Name a server with --server");
  return { ...service, server };
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

/** Prints fields on a line, without control characters, which could contain terminal escape sequences. */
export function printLine({ terminal }: Pick<Call, "terminal">, fields: readonly string[]): void {
  terminal.out(`${fields.map((field) => field.replaceAll(/\p{Cc}/gu, " ")).join("\t")}\n`);
}

/** Function of a command, which gets the service that it opens, and returns the fields of the lines to print. */
export type Run<Opened> = (service: Opened, call: Call) => Promise<readonly (readonly string[])[] | void>;

/** Returns the action of a command about a server, which prints a line for each list of fields that `run` returns. */
export function printing(run: Run<ServiceClient>): Action {
  return printingWith(openServiceClient, run);
}

/** Returns the action of a command about the account, which prints as {@link printing} does. */
export function printingOfAccount(run: Run<Service>): Action {
  return printingWith(openService, run);
}

function printingWith<Opened>(open: (call: Call) => Opened, run: Run<Opened>): Action {
  return async (call) => {
    const lines = await run(open(call), call);
    for (const fields of lines ?? []) printLine(call, fields);
    return exitCodes.done;
  };
}

/** Returns the JSON of a file, `-` for standard input. Throws an `Error` for the operator when it is not JSON. */
export function readJson(file: string): unknown {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${file}: not JSON`, { cause: error });
  }
}
