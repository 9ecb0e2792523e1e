import { openAdministration } from "./administration.ts";
import { exitCodes, type Action } from "../command.ts";
import { configOf } from "../config-of.ts";

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
