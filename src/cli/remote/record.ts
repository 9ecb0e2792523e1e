/** `restante record`: adds a test of any runner, with its mail, to the record of a run. */
import { decodeStrictly } from "../../core/strict-decoder.ts";
import { endedTestSchema, recordFolder } from "../../run-report/record-schema.ts";
import { recordTest } from "../../run-report/record-test.ts";
import { type Action, exitCodes, readJson } from "../command.ts";
import { openService } from "./service-client.ts";

/** Runs `restante record FILE`. */
export const record: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const test = decodeStrictly(endedTestSchema, readJson(operands[0] ?? ""));
  const { client, server } = openService(call);
  await recordTest({ client, server, folder: flags.get("record") ?? recordFolderOf(terminal) }, test);
  return exitCodes.done;
};

/** Returns the folder of the record that the environment names, or the default. */
export function recordFolderOf({ environment }: Parameters<Action>[0]["terminal"]): string {
  return environment["RESTANTE_RECORD"] || recordFolder;
}
