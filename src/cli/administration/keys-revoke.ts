import { openAdministration } from "./administration.ts";
import { exitCodes, type Action } from "../command.ts";
import { configOf } from "../config-of.ts";

/** Runs `restante keys revoke ID`. */
export const revokeKeyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  await administration.revokeKey(call.operands[0] ?? "");
  return exitCodes.done;
};
