/** Commands about the usage of teams and servers. */
import { type Action, type Call, exitCodes } from "../command.ts";
import { openService, printLine } from "./service-client.ts";

/** Runs `restante usage teams`: prints a team per line, with fields separated by tabs, or CSV. */
export const teamUsageCommand: Action = async (call) => {
  const { client } = openService(call);
  const query = monthOf(call);
  if (call.flags.has("csv")) call.terminal.out(await client.service.teamUsageCsv(query));
  else {
    for (const {
      team,
      name,
      email,
      sms,
      bytes,
      outbound,
      servers,
      messages,
      storedBytes,
    } of await client.service.teamUsage(query)) {
      const counts = [email, sms, bytes, outbound, servers, messages, storedBytes].map(String);
      printLine(call, [name ?? team ?? "-", ...counts]);
    }
  }
  return exitCodes.done;
};

/** Runs `restante usage servers`: prints a server per line, with fields separated by tabs, or CSV. */
export const serverUsageCommand: Action = async (call) => {
  const { client } = openService(call);
  const idle = call.flags.get("idle");
  // The service validates the number.
  const query = { ...monthOf(call), ...(idle !== undefined && { idleDays: Number(idle) }) };
  if (call.flags.has("csv")) call.terminal.out(await client.service.serverUsageCsv(query));
  else {
    for (const row of await client.service.serverUsage(query)) {
      const { server, name, teamName, managers, lastTrafficAt, isProtected, isKept, removedAt } = row;
      const { email, sms, bytes, outbound, messages, storedBytes } = row;
      const counts = [email, sms, bytes, outbound, messages, storedBytes].map(String);
      const owner = [teamName ?? "-", managers.join(" ") || "-"];
      printLine(call, [
        server,
        name,
        ...owner,
        ...counts,
        lastTrafficAt,
        removedAt ?? (isProtected || isKept ? "protected" : "-"),
      ]);
    }
  }
  return exitCodes.done;
};

function monthOf({ flags }: Call): { readonly month?: string } {
  const month = flags.get("month");
  return month === undefined ? {} : { month };
}
