import { join } from "node:path";
import { readKeyFile } from "../app/account.ts";
import { readRunningService } from "../app/service-file.ts";
import { clientEnvironment } from "./client-environment.ts";
import { exitCodes, UsageRefused, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";
import { redirectModule } from "./redirect-module.ts";
import { settingLines, shells, type Shell } from "./shell-syntax.ts";
import { writeTrustBundle } from "./trust-bundle.ts";

/** Where modules of other programs are put in a form that every Node reads; nobody else may write there. */
const copies = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "restante-redirect");

/** `restante env`: what a test run needs to find the service of the data folder, ready to be evaluated. */
export const env: Action = (call) => {
  const { flags, terminal } = call;
  const shell = shellNamed(flags.get("shell") ?? "sh");
  const { dataDir, apiKey } = configOf(call);
  const address = readRunningService(dataDir);
  if (address === undefined) {
    throw new Error(`No service runs in ${dataDir}; restante serve starts one, --data-dir names another`);
  }
  const key = apiKey ?? readKeyFile(dataDir);
  if (key === undefined) throw new Error("The service runs with a key of your own; give it as RESTANTE_API_KEY");
  const variables = clientEnvironment({
    address,
    apiKey: key,
    server: flags.get("server") ?? address.server,
    bundleFile: address.caFile === null ? null : writeTrustBundle(address.caFile),
    https: flags.has("https"),
    proxy: flags.has("proxy"),
    redirectModule: flags.has("redirect") ? redirectModule(copies) : null,
    nodeOptions: terminal.environment["NODE_OPTIONS"] ?? "",
  });
  const isJson = flags.has("json");
  const json = (): string => `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`;
  terminal.out(isJson ? json() : settingLines(shell, variables));
  return Promise.resolve(exitCodes.done);
};

function shellNamed(name: string): Shell {
  const shell = shells.find((one) => one === name);
  if (shell === undefined) throw new UsageRefused(`--shell knows ${shells.join(", ")}, not "${name}"`);
  return shell;
}
