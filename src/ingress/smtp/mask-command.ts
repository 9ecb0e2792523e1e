import { saslMechanisms } from "../../core/smtp-session.ts";

/** Text in place of secrets and of what could be one. */
export const masked = "[masked]";

/** Commands whose arguments are shown; those of other commands could be secrets of another protocol. */
const shownVerbs: ReadonlySet<string> = new Set([
  "EHLO",
  "HELO",
  "MAIL",
  "RCPT",
  "DATA",
  "BDAT",
  "RSET",
  "NOOP",
  "VRFY",
  "HELP",
  "STARTTLS",
  "QUIT",
]);
const mechanisms: ReadonlySet<string> = new Set(saslMechanisms);

/**
 * Returns a command as transcripts show it. Of AUTH only a known mechanism is shown, and of unknown commands nothing: a
 * client that pipelines AUTH sends its password as the next command when the mechanism was rejected.
 */
export function maskCommand(line: string, isKnown: boolean): string {
  if (!isKnown) return "[unknown command]";
  const [verb = "", first = ""] = line.trim().split(/[ \t]+/, 2);
  const name = verb.toUpperCase();
  if (shownVerbs.has(name)) return line;
  if (line.trim() === verb) return verb;
  return name === "AUTH" && mechanisms.has(first.toUpperCase())
    ? maskAuth(line, `${verb} ${first}`)
    : `${verb} ${masked}`;
}

/** Returns the response to a challenge of AUTH as transcripts show it. */
export function maskResponse(line: string): string {
  return line === "*" ? line : masked;
}

function maskAuth(line: string, start: string): string {
  return line.trim().split(/[ \t]+/).length > 2 ? `${start} ${masked}` : start;
}
