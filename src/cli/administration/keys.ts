import { PermissionError } from "../../client/errors.ts";
import { type KeyScope, keyScopes } from "../../core/api-key.ts";
import type { KeyRequest } from "../../operations/keys/keys.ts";
import { type Action, exitCodes, wholeNumberOf } from "../command.ts";
import { configOf } from "../config-of.ts";
import { findTeam, findUser } from "../remote/find-people.ts";
import { type Administration, openAdministration, type ShownKey } from "./administration.ts";

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

/** Runs `restante keys list`: prints one key per line, with fields separated by tabs, or the JSON of the API. */
export const listKeysCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  const keys = await administration.listKeys();
  if (call.flags.has("json")) {
    call.terminal.out(`${JSON.stringify(keys, null, 2)}\n`);
    return exitCodes.done;
  }
  const owners = await ownersOf(administration, keys);
  for (const { id, server, createdAt, name, scope, expires, lastUsed, user, team } of keys) {
    const usage = [scope, expires ?? "never expires", lastUsed ?? "never used"];
    const owner = owners.get(team ?? user ?? "") ?? "account";
    call.terminal.out(
      `${[id, server ?? "all servers", createdAt, oneLine(name), ...usage, oneLine(owner)].join("\t")}\n`,
    );
  }
  return exitCodes.done;
};

/** Returns the owners of keys by id: users by address and teams by name, or both by id where the caller may not list them. */
async function ownersOf(
  administration: Administration,
  keys: readonly ShownKey[],
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const { user, team } of keys) {
    if (user !== null) owners.set(user, `user ${user}`);
    if (team !== null) owners.set(team, `team ${team}`);
  }
  if (owners.size === 0) return owners;
  try {
    const [users, teams] = await Promise.all([administration.listUsers(), administration.listTeams()]);
    for (const { id, email } of users) owners.set(id, `user ${email}`);
    for (const { id, name } of teams) owners.set(id, `team ${name}`);
  } catch (error) {
    // The key of a user who manages no team.
    if (!(error instanceof PermissionError)) throw error;
  }
  return owners;
}

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
