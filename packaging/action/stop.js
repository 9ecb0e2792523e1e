/** End of the GitHub Action: stops the service, which stores the mail that it is receiving, and prints its log. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** A graceful stop takes 15 seconds at most. */
const stopMsMax = 20_000;
/** Bytes of the log that are printed; the whole log is in the folder. */
const shownBytesMax = 65_536;

const pid = Number(process.env["STATE_pid"]);
const log = process.env["STATE_log"] ?? "";

function isRunning() {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The process does not exist.
    return false;
  }
}

if (Number.isSafeInteger(pid) && pid > 0 && isRunning()) {
  process.kill(pid, "SIGTERM");
  const until = Date.now() + stopMsMax;
  while (isRunning() && Date.now() < until) await delay(50);
  if (isRunning()) process.stdout.write("::warning title=restante::The service did not stop\n");
}
if (log !== "") {
  const text = readFileSync(log).subarray(-shownBytesMax).toString();
  // Lines of the log must not be read as commands of the runner.
  const token = `restante-${pid}-${Date.now()}`;
  process.stdout.write(
    `::group::Log of restante (${log})\n::stop-commands::${token}\n${text}\n::${token}::\n::endgroup::\n`,
  );
}
