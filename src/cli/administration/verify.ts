import { openAdministration } from "./administration.ts";
import { exitCodes, type Action } from "../command.ts";
import { configOf } from "../config-of.ts";

/** Runs `restante verify`: marks an address as verified. */
export const verifyCommand: Action = async (call) => {
  await using administration = await openAdministration(configOf(call), call.terminal);
  const [address = ""] = call.operands;
  call.terminal.out(`${await administration.verifyAddress(address)} is verified\n`);
  return exitCodes.done;
};
