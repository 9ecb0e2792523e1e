import { integer, text } from "../arguments.ts";
/** Tools that create and list servers. */
import { serverTtlSeconds } from "../bounds.ts";
import { callJson, listServers, type ShownServer } from "../call-api.ts";
import { adding, readOnly, textPart, type SmtpAddress, type Tool, type ToolCall } from "../tool.ts";
import { showHidden } from "../fence.ts";
import { countMessages } from "../view.ts";

const listedCountMax = 200;
const nameLengthMax = 200;
const ttlSecondsMax = 31_536_000;

/** Creates a server that expires. */
export const createServerTool: Tool = {
  name: "create_server",
  title: "Create a server",
  description:
    "Creates an empty server: a container of messages with its own addresses, which is deleted with its messages after ttlSeconds. Use one for each test or task, so that messages of others cannot match. Requires an account key.",
  parameters: {
    name: text(nameLengthMax, "Name of the server.", { isRequired: true }),
    ttlSeconds: integer(
      `Seconds until the server is deleted; default ${String(serverTtlSeconds)} (a day).`,
      ttlSecondsMax,
      1,
    ),
  },
  ...adding,
  run: async (call) => {
    const body = { name: call.args.text("name"), ttlSeconds: call.args.integer("ttlSeconds") ?? serverTtlSeconds };
    const request = { method: "POST" as const, path: "/api/servers", body };
    const { value } = await callJson<ShownServer>(call, request);
    return [textPart(describeServer(call, value))];
  },
};

function describeServer({ mailDomain, smtp }: ToolCall, { id, expiresAt }: ShownServer): string {
  const address = `anything@${id}.${mailDomain}`;
  return [
    `Created server ${id}; it is deleted at ${expiresAt ?? "no time"}.`,
    `Every address of the form ${address} belongs to it: choose any name before the @.`,
    describeSmtp(smtp()),
    `Next: let the application send a mail, then call wait_for_message with server=${id} and sentTo.`,
  ].join("\n");
}

function describeSmtp(smtp: SmtpAddress): string {
  if (smtp === "off") {
    return "This service has no SMTP listener: the application under test sends through the API of a mail provider, or ask the user to set RESTANTE_SMTP_PORT.";
  }
  const address =
    smtp === "unknown"
      ? "the SMTP port of this service (1025 by default)"
      : `host ${smtp.host}, port ${String(smtp.port)}`;
  return `The application under test sends by SMTP to ${address}, without credentials unless RESTANTE_SMTP_AUTH requires them.`;
}

/** Lists the servers of the key. */
export const listServersTool: Tool = {
  name: "list_servers",
  title: "List servers",
  description:
    "Lists the servers that the key can access: id, name, number of messages, expiry. Mail to anything@<id>.<domain> arrives in the server with that id.",
  parameters: {},
  ...readOnly,
  run: async (call) => {
    const servers = await listServers(call);
    const lines = servers.slice(0, listedCountMax).map(({ id, name, messages, expiresAt }) => {
      const expiry = expiresAt === null ? "" : `, expires ${expiresAt}`;
      return `${id}  ${JSON.stringify(showHidden(name))}, ${countMessages(messages)}${expiry}`;
    });
    const more = servers.length - lines.length;
    const domain = `Addresses: anything@<id>.${call.mailDomain}.`;
    if (lines.length === 0) return [textPart("There is no server. Call create_server.")];
    return [textPart([domain, ...lines, ...(more > 0 ? [`… and ${String(more)} more`] : [])].join("\n"))];
  },
};
