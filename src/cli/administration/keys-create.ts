import { type KeyScope, keyScopes } from "../../core/api-key.ts";
import type { KeyRequest } from "../../operations/keys/keys.ts";
import { openAdministration } from "./administration.ts";
import { type Action, exitCodes } from "../command.ts";
import { configOf } from "../config-of.ts";
import { wholeNumberOf } from "./whole-number.ts";

/** Runs `restante keys create`: prints the key alone on its line, for use in scripts. */
export const createKeyCommand: Action = async (call) => {
  const request = readRequest(call.flags);
  await using administration = await openAdministration(configOf(call), call.terminal);
  call.terminal.out(`${await administration.createKey(request)}\n`);
  return exitCodes.done;
};

function readRequest(flags: ReadonlyMap<string, string>): KeyRequest {
  const [name, server, scope, expires] = ["name", "server", "scope", "expires"].map((flag) => flags.get(flag));
  const requestsPerMinute = wholeNumberOf(flags, "requests-per-minute");
  const networks = flags
    .get("networks")
    ?.split(",")
    .map((network) => network.trim());
  return {
    ...(name !== undefined && { name }),
    ...(server !== undefined && { server }),
    ...(scope !== undefined && { scope: scopeOf(scope) }),
    ...(expires !== undefined && { expires }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(networks !== undefined && { networks }),
  };
}

function scopeOf(text: string): KeyScope {
  const scope = keyScopes.find((one) => one === text);
  if (scope === undefined) throw new Error(`--scope must be one of ${keyScopes.join(", ")}`);
  return scope;
}
