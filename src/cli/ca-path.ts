import { caFileOf } from "./ca-file.ts";
import { exitCodes, type Action } from "./command.ts";

/** `restante ca path`. */
export const caPath: Action = (call) => {
  call.terminal.out(`${caFileOf(call)}\n`);
  return Promise.resolve(exitCodes.done);
};
