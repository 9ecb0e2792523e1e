import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";

test.for([
  "serve --http-port=0 --https-port=0 --smtp-port=0",
  "migrate",
  "migrate --citus",
  "keys list",
  "export -",
  "import -",
])("restante %s exits with the reason when the database cannot be reached", { concurrent: true }, async (command) => {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-unreachable-"));
  onTestFinished(() => {
    rmSync(dataDir, { recursive: true });
  });
  const environment = {
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_API_KEY: "a-key-for-journeys",
    RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
    // Nothing listens on port 1.
    RESTANTE_DATABASE_URL: "postgres://restante@127.0.0.1:1/restante",
  };
  // One command that serves and one that does not exit as processes.
  const runTool = /^(?:serve|migrate)(?! --citus)/.test(command) ? runCommand : runLocally;
  const ending = await runTool(command.split(" "), { environment });
  expect(ending).toEqual({
    code: 1,
    signal: null,
    out: "",
    error:
      "restante: The database of RESTANTE_DATABASE_URL cannot be used: cannot connect to any host of the database: connect ECONNREFUSED 127.0.0.1:1\n",
  });
});
