import { readVersion } from "../app/version.ts";
import { exitCodes, type Action } from "./command.ts";

/** Runs `restante version`. */
export const version: Action = ({ terminal }) => {
  terminal.out(`${readVersion()}\n`);
  return Promise.resolve(exitCodes.done);
};
