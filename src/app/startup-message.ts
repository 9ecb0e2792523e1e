import { relative } from "node:path";
import type { RunningService } from "./service.ts";
import { hostAndPort, isLoopbackOnly } from "./loopback.ts";
import { catcherNames } from "./settings/listener-settings.ts";

/** Number of servers that the message shows at most. */
const shownServersMax = 5;

/**
 * Returns the message that is printed after the start: addresses, servers, key, and two commands to try. Paths are relative
 * to `cwd` where that is shorter. The API key is shown only when this start generated it.
 */
export function startupMessage(service: RunningService, version: string, cwd: string): string {
  const rows = [
    ...mailRows(service),
    ...apiRows(service),
    ...catcherRows(service),
    ...webRows(service),
    ...serverRows(service),
    ["API key", keyText(service, cwd)] as const,
    ...(service.caFile === null ? [] : [["CA", shorter(service.caFile, cwd)] as const]),
  ];
  const table = rows.map(([name, text]) => `  ${name.padEnd(9)}${text}\n`).join("");
  return `restante ${version} is ready.\n\n${table}${trial(service, cwd)}`;
}

type Row = readonly [name: string, text: string];

/** Listeners of mail in the order of the message, with their names. */
const mailListeners = [
  ["SMTP", "smtp"],
  ["SMTPS", "smtps"],
  ["LMTP", "lmtp"],
  ["POP3", "pop3"],
  ["POP3S", "pop3s"],
  ["IMAP", "imap"],
  ["IMAPS", "imaps"],
] as const;
const catcherTitles = { mailpit: "Mailpit", mailhog: "MailHog", maildev: "MailDev", smtp4dev: "smtp4dev" } as const;

function mailRows(service: RunningService): readonly Row[] {
  const { host, ports } = service;
  return mailListeners.flatMap(([title, name]) => {
    const port = ports[name];
    if (port === null) return [];
    return [[title, `${hostAndPort(host, port)}${name === "smtp" ? startTlsNote(service) : ""}`]];
  });
}

function catcherRows({ host, ports, config }: RunningService): readonly Row[] {
  return catcherNames.flatMap((name) => {
    const port = ports.catchers[name];
    return port === undefined ? [] : [[catcherTitles[name], `http://${hostAndPort(host, port)}${config.peerPath}`]];
  });
}

function startTlsNote({ config }: RunningService): string {
  const isOffered =
    config.smtpStarttls === "always" || (config.smtpStarttls === "auto" && !isLoopbackOnly(config.bind));
  return isOffered ? " (STARTTLS offered)" : "";
}

function apiRows({ host, ports }: RunningService): readonly Row[] {
  const rows: Row[] = [];
  if (ports.http !== null) rows.push(["API", `http://${hostAndPort(host, ports.http)}`]);
  if (ports.https !== null) rows.push([rows.length === 0 ? "API" : "", `https://${hostAndPort(host, ports.https)}`]);
  return rows;
}

function webRows({ signInUrl }: RunningService): readonly Row[] {
  return signInUrl === null ? [] : [["Web UI", `${signInUrl}  (signs one browser in, once)`]];
}

function serverRows({ servers, config }: RunningService): readonly Row[] {
  const shown = servers.slice(0, shownServersMax).map(({ id, name }, position): Row => {
    return [position === 0 ? "Server" : "", `${id}  ${name}  <anything>@${id}.${config.mailDomain}`];
  });
  const hidden = servers.length - shown.length;
  return hidden > 0 ? [...shown, ["", `and ${hidden} more`]] : shown;
}

function keyText({ accountKey }: RunningService, cwd: string): string {
  if (accountKey.kind === "own") return "your own";
  const file = shorter(accountKey.file, cwd);
  return accountKey.kind === "file" ? `in ${file}` : `${accountKey.secret}  (shown once; kept in ${file})`;
}

function trial(service: RunningService, cwd: string): string {
  const { host, ports, servers, config, accountKey } = service;
  if (ports.smtp === null || ports.http === null) return "";
  const key = accountKey.kind === "own" ? "$RESTANTE_API_KEY" : `$(cat ${shellWord(shorter(accountKey.file, cwd))})`;
  const [{ id }] = servers;
  return `
Try it:
  printf 'Subject: Hello\\r\\n\\r\\nYour code is 804 219\\r\\n' | curl smtp://${hostAndPort(host, ports.smtp)} --mail-from app@example.com --mail-rcpt anyone@${id}.${config.mailDomain} -T -
  curl -u "${key}:" '${service.url}/api/messages?server=${id}'
`;
}

function shorter(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.length < path.length && !short.startsWith("..") ? short : path;
}

/** Quotes a path for use inside `"$(…)"`, where quoting starts afresh (POSIX Shell Command Language §2.6.3). */
function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
