/** Row of the table of commands for the health check of containers. */
import { command, type Command } from "../command.ts";
import { dataDir } from "../remote/remote-commands.ts";

/** Command that reports whether the service is ready. */
export const healthcheckCommand: Command = command("healthcheck", {
  flags: dataDir,
  summary: "Exit with 0 if the service on this machine is ready",
  details: [
    "For health checks of containers without a shell. Requests `/readyz` from the running service of the data folder, or at the address of the settings, over HTTP or HTTPS; with both off, it reads the greeting of the SMTP listener. Requires no key.",
    "Exit codes: 0 when the service is ready, 1 when it is not ready or does not respond within 4 seconds; the reason goes to standard error.",
  ],
  load: async () => (await import("./healthcheck.ts")).healthcheck,
});
