import { openAdministration } from "./administration.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";

/** `restante keys list`: a key a line, its members separated by tabs. */
export const listKeysCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  for (const { id, server, createdAt, name, scope, expires, lastUsed } of await administration.listKeys()) {
    const life = [scope, expires ?? "never expires", lastUsed ?? "never used"];
    call.terminal.out(`${[id, server ?? "all servers", createdAt, oneLine(name), ...life].join("\t")}\n`);
  }
  return exitCodes.done;
};

/** Names come from whoever made the key: nothing in them may steer a terminal. */
function oneLine(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, " ");
}
