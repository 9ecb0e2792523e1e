import { reachDatabase } from "../app/reach-database.ts";
import { distributeDatabase, prepareDatabase } from "../store/postgres/open.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";

/** `restante migrate`: brings the schema of a database to this version's, and divides its tables where asked to. */
export const migrate: Action = async (call) => {
  const { databaseUrl: url, searchIndex } = configOf(call);
  if (url === null) throw new Error("RESTANTE_DATABASE_URL names the database to migrate; there is none");
  const { stepCount, textIndex } = await reachDatabase(() => prepareDatabase({ url, searchIndex }));
  call.terminal.out(
    stepCount === 0 ? "The schema is up to date.\n" : `Made ${stepCount} step${stepCount === 1 ? "" : "s"}.\n`,
  );
  if (textIndex?.isReady === false) {
    call.terminal.out(`Bodies will not be indexed, searches go on without: ${textIndex.why}.\n`);
  }
  if (call.flags.has("citus")) {
    await reachDatabase(() => distributeDatabase({ url }));
    call.terminal.out("The tables are divided by server.\n");
  }
  return exitCodes.done;
};
