/** ENABLE (RFC 9051 section 6.3.1). */
import { atomOf, ok, type ImapCommand } from "./command.ts";
import { ImapSyntaxError } from "./tokens.ts";

/** ENABLE: reports the extensions that are enabled; unknown ones are ignored. */
export const enable: ImapCommand = {
  state: "authenticated",
  updates: "all",
  run: async (session, tokens) => {
    if (tokens.length === 0) throw new ImapSyntaxError("ENABLE needs a capability");
    const names = tokens.map((token) => atomOf(token, "The capability"));
    const enabled = ["CONDSTORE", "IMAP4REV2"].filter((name) => names.includes(name));
    if (enabled.includes("CONDSTORE")) session.reportsModSeq = true;
    if (enabled.includes("IMAP4REV2")) session.isRev2 = true;
    await session.send(`* ENABLED${enabled.map((name) => ` ${name.replace("REV", "rev")}`).join("")}\r\n`);
    return ok("ENABLE completed");
  },
};
