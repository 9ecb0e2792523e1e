/** Commands about a running service as a whole: fault rules, quarantined work, usage of teams and servers. */
import type { Fault, PutFaultsQuery, PutFaultsRequest, RetryQuarantineRequest } from "../../client/generated/types.ts";
import { type Call, type Command, exitCodes, type Flags, type Printed, readJson, toJson } from "../command.ts";
import { accountCommand, dataDir, remoteCommand, serverFlag } from "./remote-commands.ts";
import type { Service } from "./service-client.ts";

const ruleFlags: Flags = {
  ...serverFlag,
  service: "Rules of the whole service; requires an account key",
  ...dataDir,
};

/** Commands for fault rules, in the order of the help. */
export const faultCommands: readonly Command[] = [
  remoteCommand("faults list", {
    flags: { ...ruleFlags, json: "Print the rules as JSON, with their last hits" },
    summary: "List fault rules: name, state, stages, effect, seen, hits, skipped",
    run: async (service, call) => {
      const list = await rulesOf(service, call).list();
      return call.flags.has("json") ? toJson(list) : linesOf(list);
    },
  }),
  remoteCommand("faults set", {
    operands: ["FILE"],
    flags: { ...ruleFlags, "keep-counts": "Keep the counts of rules that stay the same" },
    summary: "Replace the fault rules by those of a JSON file, and list them",
    details: [
      '`FILE` contains an array of rules, or `{"items": […]}`; `-` is standard input. The counts start at 0 unless they are kept. [Faults](../guide/faults.md) has recipes.',
    ],
    run: async (service, call) => {
      const query = call.flags.has("keep-counts") ? ({ counts: "keep" } as const) : {};
      const body = readJson(call.operands[0] ?? "") as PutFaultsRequest;
      return linesOf(await rulesOf(service, call).replace({ query, body }));
    },
  }),
  remoteCommand("faults pause", {
    operands: ["NAME"],
    flags: ruleFlags,
    summary: "Pause a fault rule, which keeps its counts, and list all",
    run: async (service, call) => setPaused(rulesOf(service, call), call, true),
  }),
  remoteCommand("faults resume", {
    operands: ["NAME"],
    flags: ruleFlags,
    summary: "Resume a paused fault rule, and list all",
    run: async (service, call) => setPaused(rulesOf(service, call), call, false),
  }),
  remoteCommand("faults clear", {
    flags: ruleFlags,
    summary: "Remove all fault rules",
    run: async (service, call) => rulesOf(service, call).clear(),
  }),
];

/** Rules of the server of `--server`, or with `--service` those of the service. */
interface Rules {
  readonly list: () => Promise<readonly Fault[]>;
  readonly replace: (parameters: {
    readonly query: PutFaultsQuery;
    readonly body: PutFaultsRequest;
  }) => Promise<readonly Fault[]>;
  readonly clear: () => Promise<void>;
}

function rulesOf(service: Service, { flags }: Call): Rules {
  const { client, transport } = service;
  if (flags.has("service")) {
    return {
      list: async () => client.faults.listForService(),
      replace: async (parameters) => transport.call("putServiceFaults", parameters),
      clear: async () => client.faults.clearForService(),
    };
  }
  const { server } = service;
  return {
    list: async () => client.faults.list(server),
    replace: async (parameters) => transport.call("putFaults", { path: { id: server }, ...parameters }),
    clear: async () => client.faults.clear(server),
  };
}

async function setPaused(rules: Rules, { operands: [name = ""] }: Call, paused: boolean): Promise<Printed> {
  const { ruleOf } = await import("../../core/fault.ts");
  const list = await rules.list();
  if (!list.some((rule) => rule.name === name)) throw new Error(`There is no fault rule with the name ${name}`);
  const items = list.map((rule) =>
    rule.name === name ? ruleOf({ ...rule, paused }) : ruleOf(rule),
  ) as PutFaultsRequest["items"];
  return linesOf(await rules.replace({ query: { counts: "keep" }, body: { items } }));
}

function linesOf(list: readonly Fault[]): Printed {
  return list.map(({ name, state, match, then, seen, hits, skipped }) => {
    const stages = typeof match.stage === "string" ? match.stage : match.stage.join(",");
    return [name, state, stages, JSON.stringify(then), ...[seen, hits, skipped].map(String)];
  });
}

/** Commands for quarantined work. */
export const quarantineCommands: readonly Command[] = [
  accountCommand("quarantine list", {
    summary: "List work that is not attempted again because it ended the service: queue, id, message, time, attempts",
    details: ["Exit codes: 0 without quarantined work, 1 with some, 2 when the service cannot be reached."],
    failureCode: exitCodes.usage,
    run: async ({ client }) => {
      const works = await client.service.quarantine();
      const printed = works.map(({ queue, id, message, quarantined, attempts }) => {
        return [queue, id, message ?? "-", quarantined, String(attempts)];
      });
      return { printed, exitCode: works.length > 0 ? exitCodes.failed : exitCodes.done };
    },
  }),
  accountCommand("quarantine retry", {
    flags: {
      "queue NAME": "Only work of this queue. Default: all",
      "id ID": "Only work with this id. Default: all",
    },
    summary: "Attempt quarantined work again, and print the number of pieces",
    run: async ({ client }, { flags }) => {
      const given = ["queue", "id"].flatMap((name) => (flags.has(name) ? [[name, flags.get(name)]] : []));
      // The service validates it.
      const request = Object.fromEntries(given) as RetryQuarantineRequest;
      return [[String(await client.service.retryQuarantine(request))]];
    },
  }),
];

const month: Flags = { "month MONTH": "Month (UTC), such as `2026-11`. Default: the current one" };
const csv: Flags = { csv: "Print CSV with a header line instead" };

/** Commands about the usage of teams and servers. */
export const usageCommands: readonly Command[] = [
  accountCommand("usage teams", {
    flags: { ...month, ...csv },
    summary:
      "List the usage of teams in a month: name, mails, SMS, bytes, outbound, servers, messages and bytes stored now",
    details: ["The last line, `-`, is that of servers without a team."],
    run: async ({ client }, call) => {
      const query = monthOf(call);
      if (call.flags.has("csv")) return client.service.teamUsageCsv(query);
      return (await client.service.teamUsage(query)).map((row) => {
        const { team, name, email, sms, bytes, outbound, servers, messages, storedBytes } = row;
        return [name ?? team ?? "-", ...[email, sms, bytes, outbound, servers, messages, storedBytes].map(String)];
      });
    },
  }),
  accountCommand("usage servers", {
    flags: {
      ...month,
      "idle DAYS": "Only servers without traffic for so many days, the longest first",
      ...csv,
    },
    summary:
      "List the usage of servers in a month: id, name, team, managers, mails, SMS, bytes, outbound, messages and bytes stored now, last traffic, removal",
    details: [
      "The last field is when `RESTANTE_IDLE_SERVER_DAYS` removes the server unless it has traffic before, or `protected`, or `-`.",
    ],
    run: async ({ client }, call) => {
      const idle = call.flags.get("idle");
      // The service validates the number.
      const query = { ...monthOf(call), ...(idle !== undefined && { idleDays: Number(idle) }) };
      if (call.flags.has("csv")) return client.service.serverUsageCsv(query);
      return (await client.service.serverUsage(query)).map((row) => {
        const { server, name, teamName, managers, lastTrafficAt, isProtected, isKept, removedAt } = row;
        const { email, sms, bytes, outbound, messages, storedBytes } = row;
        const owner = [teamName ?? "-", managers.join(" ") || "-"];
        const counts = [email, sms, bytes, outbound, messages, storedBytes].map(String);
        const removal = removedAt ?? (isProtected || isKept ? "protected" : "-");
        return [server, name, ...owner, ...counts, lastTrafficAt, removal];
      });
    },
  }),
];

function monthOf({ flags }: Call): { readonly month?: string } {
  const month = flags.get("month");
  return month === undefined ? {} : { month };
}
