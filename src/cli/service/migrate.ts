import { reachDatabase } from "../../app/open-store.ts";
import { distributeDatabase, migrateDatabase } from "../../store/postgres/open.ts";
import { type Action, configOf, exitCodes } from "../command.ts";

/** Runs `restante migrate`: migrates the schema of the database, and distributes its tables with `--citus`. */
export const migrate: Action = async (call) => {
  const { databaseUrl: url } = configOf(call);
  if (url === null) throw new Error("RESTANTE_DATABASE_URL is not set; set it to the database to migrate");
  const stepCount = await reachDatabase(() => migrateDatabase({ url }));
  call.terminal.out(
    stepCount === 0 ? "The schema is up to date.\n" : `Applied ${stepCount} migration${stepCount === 1 ? "" : "s"}.\n`,
  );
  if (call.flags.has("citus")) {
    await reachDatabase(() => distributeDatabase({ url }));
    call.terminal.out("The tables are distributed by server.\n");
  }
  return exitCodes.done;
};
