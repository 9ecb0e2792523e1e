/** Flags and texts that commands for a running service share. */
import type { Flag } from "../command.ts";

/** Flag that names the data folder. */
export const dataDir: Flag = {
  name: "data-dir",
  value: "DIR",
  meaning: "Data folder of the service. Default: `RESTANTE_DATA_DIR` or `./restante-data`",
};

/** Paragraph of commands that need a running service. */
export const runningNote =
  "Uses the API of the running service: that of `RESTANTE_URL`, or that of the data folder; with the key in `RESTANTE_API_KEY`, or the generated one in the data folder.";

/** Flag that names the server. */
export const serverFlag: Flag = {
  name: "server",
  value: "ID",
  meaning: "Server. Default: `RESTANTE_SERVER`, or the first one",
};
