import { join } from "node:path";
import { isSea } from "node:sea";
import { readKeyFile } from "../../app/account.ts";
import type { Config } from "../../app/settings/config.ts";
import { redirectedHosts } from "../../app/host-names.ts";
import { readRunningService, type ServiceAddress } from "../../app/service-file.ts";
import { findAccess } from "./client-access.ts";
import { clientEnvironment, clientVariables } from "./client-environment.ts";
import { exitCodes, UsageError, type Action, type Call } from "../command.ts";
import { configOf } from "../config-of.ts";
import { redirectModule } from "./redirect-module.ts";
import { failingLines, settingLines, shells, type Shell, type Variable } from "./shell-syntax.ts";
import { writeTrustFiles } from "./trust-bundle.ts";

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
    const json = (): string => `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`;
    terminal.out(flags.has("json") ? json() : settingLines(shell, variables));
    return exitCodes.done;
  } catch (error) {
    if (!flags.has("json")) terminal.out(failingLines(shell, namesOfVariables(flags)));
    throw error;
  }
};

async function variablesOf(call: Call): Promise<readonly Variable[]> {
  const { flags, terminal } = call;
  if (flags.has("providers") && !flags.has("redirect") && !flags.has("proxy")) {
    throw new UsageError("--providers requires --redirect or --proxy");
  }
  const config = configOf(call);
  const address = serviceOf(config);
  const keys = [config.apiKey, readKeyFile(config.dataDir)].filter((key) => typeof key === "string");
  const { apiKey, server } = await findAccess(address, keys, flags.get("server"));
  return clientEnvironment({
    address,
    apiKey,
    server,
    mailDomain: address.mailDomain ?? config.mailDomain,
    trust: address.caFile === null ? null : writeTrustFiles(address.caFile, terminal.environment),
    https: flags.has("https"),
    proxy: flags.has("proxy"),
    providerHosts: flags.has("providers") ? await redirectedHosts() : null,
    redirectModule: flags.has("redirect") ? findRedirectModule() : null,
    nodeOptions: terminal.environment["NODE_OPTIONS"] ?? "",
  });
}

/** Throws an `Error` in the single executable, whose modules other programs cannot load. */
function findRedirectModule(): string {
  if (!isSea()) return redirectModule(copies);
  throw new Error(
    "--redirect needs the npm package: the single executable has no files to load; install it, or use --proxy",
  );
}

function serviceOf({ dataDir }: Config): ServiceAddress {
  const address = readRunningService(dataDir);
  if (address !== undefined) return address;
  throw new Error(`No service is running in ${dataDir}; start restante serve, or set --data-dir`);
}

function namesOfVariables(flags: Call["flags"]): readonly string[] {
  return clientVariables({ proxy: flags.has("proxy"), redirect: flags.has("redirect") });
}

function shellNamed(name: string): Shell {
  const shell = shells.find((one) => one === name);
  if (shell === undefined) throw new UsageError(`--shell: "${name}" is not one of ${shells.join(", ")}`);
  return shell;
}
