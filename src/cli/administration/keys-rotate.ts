import { openAdministration } from "./administration.ts";
import { exitCodes, type Action } from "../command.ts";
import { configOf } from "../config-of.ts";
import { wholeNumberOf } from "./whole-number.ts";

/** Runs `restante keys rotate ID`: prints the new key alone on its line, for use in scripts. */
export const rotateKeyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  const graceSeconds = wholeNumberOf(call.flags, "grace");
  const rotation = { id: call.operands[0] ?? "", ...(graceSeconds === undefined ? {} : { graceSeconds }) };
  call.terminal.out(`${await administration.rotateKey(rotation)}\n`);
  return exitCodes.done;
};
