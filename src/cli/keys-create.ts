import { openAdministration } from "./administration.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";

/** `restante keys create`: prints the key alone on its line, so that scripts can take it. */
export const createKeyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal.clock);
  const name = call.flags.get("name");
  const server = call.flags.get("server");
  const request = { ...(name === undefined ? {} : { name }), ...(server === undefined ? {} : { server }) };
  call.terminal.out(`${await administration.createKey(request)}\n`);
  return exitCodes.done;
};
