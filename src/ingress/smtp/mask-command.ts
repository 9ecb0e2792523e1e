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
 * Returns a command as transcripts show it; `verb` in capitals, null for an unknown one. Of AUTH only a known mechanism is
 * shown, and of unknown commands nothing: a client that pipelines AUTH sends its password as the next command when the
 * mechanism was rejected.
 */
export function maskCommand(line: string, verb: string | null): string {
  if (verb === null) return "[unknown command]";
  if (shownVerbs.has(verb)) return line;
  const [written = "", first = ""] = line.trim().split(/[ \t]+/, 2);
  if (line.trim() === written) return written;
  return verb === "AUTH" && mechanisms.has(first.toUpperCase())
    ? maskAuth(line, `${written} ${first}`)
    : `${written} ${masked}`;
}

/** Returns the response to a challenge of AUTH as transcripts show it. */
export function maskResponse(line: string): string {
  return line === "*" ? line : masked;
}

function maskAuth(line: string, start: string): string {
  return line.trim().split(/[ \t]+/).length > 2 ? `${start} ${masked}` : start;
}
