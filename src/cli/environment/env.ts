import { join } from "node:path";
import { isSea } from "node:sea";
import { readKeyFile } from "../../app/account.ts";
import { providerVariables, redirectedHosts } from "../../app/host-names.ts";
import type { ServiceAddress } from "../../app/service-file.ts";
import { clientEnvironment, clientVariables, runningService } from "./client-environment.ts";
import { type Action, type Call, configOf, exitCodes, toJson, UsageError } from "../command.ts";
import { redirectModule } from "./redirect-module.ts";
import { failingLines, settingLines, type Shell, shells, type Variable } from "./shell-syntax.ts";
import { languageVariables, writeTrustFiles } from "./trust-files.ts";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { once } from "node:events";

const timeoutMs = 30_000;

/**
 * Returns the first valid key, with the requested server, or the first server by default. Without HTTP listeners, returns the
 * first key unchecked. Throws an `Error` for the operator when no key is valid, when the server does not exist, and when the
 * service does not respond.
 */
async function findAccess(
  address: ServiceAddress,
  keys: readonly string[],
  requested: string | undefined,
): Promise<Readonly<Record<"apiKey" | "server", string>>> {
  const [first] = keys;
  if (first === undefined) throw new Error("The key of the service is not in its data folder; set RESTANTE_API_KEY");
  const server = requested ?? address.server;
  if (address.url === null && address.httpsUrl === null) return { apiKey: first, server };
  for (const apiKey of keys) {
    const status = await statusOf(address, apiKey, server);
    if (status === 404 && requested !== undefined) throw new Error(`--server: there is no server ${requested}`);
    if (status === 429) throw new Error("Too many wrong API keys from this address; retry in a minute");
    if (status !== 401) return { apiKey, server };
  }
  throw new Error("Invalid API key; set RESTANTE_API_KEY to a key of this service");
}

async function statusOf(address: ServiceAddress, key: string, server: string): Promise<number> {
  const path = `/api/servers/${encodeURIComponent(server)}`;
  const headers = { authorization: `Bearer ${key}` };
  const options = { headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
  const { url, httpsUrl, caFile } = address;
  const trust = caFile === null ? { rejectUnauthorized: false } : { ca: readFileSync(caFile) };
  const request =
    url === null
      ? requestSecure(new URL(path, httpsUrl ?? ""), { ...options, ...trust })
      : requestPlain(new URL(path, url), options);
  try {
    const [response] = (await once(request.end(), "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  } catch (error) {
    throw new Error(`The service does not respond at ${url ?? httpsUrl ?? ""}; check that it is running`, {
      cause: error,
    });
  }
}

/** Folder of compiled copies of the redirect module, which older versions of Node can load. */
const copies = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache", "restante-redirect");

/**
 * Runs `restante env`: prints shell commands that set the variables with which a test run finds the service of the data
 * folder. On failure, prints commands that unset them and fail, so that no test uses a hosted service instead.
 */
export const env: Action = async (call) => {
  const { flags, terminal } = call;
  const shell = shellNamed(flags.get("shell") ?? "sh");
  try {
    const variables = await variablesOf(call);
    terminal.out(flags.has("json") ? toJson(Object.fromEntries(variables)) : settingLines(shell, variables));
    return exitCodes.done;
  } catch (error) {
    if (!flags.has("json")) terminal.out(failingLines(shell, await namesOfVariables(flags)));
    throw error;
  }
};

async function variablesOf(call: Call): Promise<readonly Variable[]> {
  const { flags, terminal } = call;
  if (flags.has("providers") && !flags.has("redirect") && !flags.has("proxy")) {
    throw new UsageError("--providers requires --redirect or --proxy");
  }
  const config = configOf(call);
  const address = runningService(config);
  const keys = [config.apiKey, readKeyFile(config.dataDir)].filter((key) => typeof key === "string");
  const { apiKey, server } = await findAccess(address, keys, flags.get("server"));
  const { environment } = terminal;
  const trust = address.caFile === null ? null : writeTrustFiles(address.caFile, environment);
  const proxy = flags.has("proxy") ? address.url : null;
  return clientEnvironment({
    address,
    apiKey,
    server,
    trust,
    languages: trust === null ? [] : languageVariables({ bundle: trust.SSL_CERT_FILE, proxy, environment }),
    https: flags.has("https"),
    proxy: flags.has("proxy"),
    providerHosts: flags.has("providers") ? await redirectedHosts() : null,
    endpoints: flags.has("providers") ? await endpointsOf(address, flags) : [],
    redirectModule: flags.has("redirect") ? findRedirectModule() : null,
    nodeOptions: terminal.environment["NODE_OPTIONS"] ?? "",
  });
}

/** Returns the variables of providers' libraries: of all with `--redirect`, else of those that the proxy leads here. */
async function endpointsOf({ url, intercepted }: ServiceAddress, flags: Call["flags"]): Promise<readonly Variable[]> {
  return url === null ? [] : providerVariables(url, flags.has("redirect") ? null : intercepted);
}

/** Throws an `Error` in the single executable, whose modules other programs cannot load. */
function findRedirectModule(): string {
  if (!isSea()) return redirectModule(copies);
  throw new Error(
    "--redirect needs the npm package: the single executable has no files to load; install it, or use --proxy",
  );
}

async function namesOfVariables(flags: Call["flags"]): Promise<readonly string[]> {
  const endpoints = flags.has("providers") ? await providerVariables("", null) : [];
  const names = clientVariables({ proxy: flags.has("proxy"), redirect: flags.has("redirect") });
  return [...names, ...endpoints.map(([name]) => name)];
}

function shellNamed(name: string): Shell {
  const shell = shells.find((one) => one === name);
  if (shell === undefined) throw new UsageError(`--shell: "${name}" is not one of ${shells.join(", ")}`);
  return shell;
}
