import { caFileOf } from "./ca-file.ts";
import { exitCodes, type Action } from "../command.ts";

/** Runs `restante ca path`. */
export const caPath: Action = (call) => {
  call.terminal.out(`${caFileOf(call)}\n`);
  return Promise.resolve(exitCodes.done);
};
