import { type KeyScope, keyScopes } from "../../core/api-key.ts";
import type { KeyRequest } from "../../operations/keys/keys.ts";
import { type Action, exitCodes, wholeNumberOf } from "../command.ts";
import { configOf } from "../config-of.ts";
import { findTeam, findUser } from "../remote/find-people.ts";
import { type Administration, openAdministration } from "./administration.ts";

/** Runs `restante keys create`: prints the key alone on its line, for use in scripts. */
export const createKeyCommand: Action = async (call) => {
  const request = readRequest(call.flags);
  await using administration = await openAdministration(configOf(call), call.terminal);
  const owner = await readOwner(administration, call.flags);
  call.terminal.out(`${await administration.createKey({ ...request, ...owner })}\n`);
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

/** Returns the owner of a new key by its id. Rejects with an `Error` for the operator when it does not exist. */
async function readOwner(
  administration: Administration,
  flags: ReadonlyMap<string, string>,
): Promise<Pick<KeyRequest, "user" | "team">> {
  const [user, team] = [flags.get("user"), flags.get("team")];
  return {
    ...(user !== undefined && { user: findUser(await administration.listUsers(), user) }),
    ...(team !== undefined && { team: findTeam(await administration.listTeams(), team) }),
  };
}

function scopeOf(text: string): KeyScope {
  const scope = keyScopes.find((one) => one === text);
  if (scope === undefined) throw new Error(`--scope must be one of ${keyScopes.join(", ")}`);
  return scope;
}

/** Runs `restante keys list`: prints one key per line, with fields separated by tabs. */
export const listKeysCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  for (const { id, server, createdAt, name, scope, expires, lastUsed } of await administration.listKeys()) {
    const usage = [scope, expires ?? "never expires", lastUsed ?? "never used"];
    call.terminal.out(`${[id, server ?? "all servers", createdAt, oneLine(name), ...usage].join("\t")}\n`);
  }
  return exitCodes.done;
};

/** Removes control characters, which could contain terminal escape sequences. */
function oneLine(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, " ");
}

/** Runs `restante keys revoke ID`. */
export const revokeKeyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  await administration.revokeKey(call.operands[0] ?? "");
  return exitCodes.done;
};

/** Runs `restante keys rotate ID`: prints the new key alone on its line, for use in scripts. */
export const rotateKeyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  const graceSeconds = wholeNumberOf(call.flags, "grace");
  const rotation = { id: call.operands[0] ?? "", ...(graceSeconds === undefined ? {} : { graceSeconds }) };
  call.terminal.out(`${await administration.rotateKey(rotation)}\n`);
  return exitCodes.done;
};

/** Runs `restante verify`: marks an address as verified. */
export const verifyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  const [address = ""] = call.operands;
  call.terminal.out(`${await administration.verifyAddress(address)} is verified\n`);
  return exitCodes.done;
};
