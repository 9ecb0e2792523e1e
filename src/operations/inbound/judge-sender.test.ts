import { describe, expect, test } from "vitest";
import type { Arrival, SenderVerdicts } from "../../core/smtp-session.ts";
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { defaultLimits } from "../../core/limits.ts";
import { createSigner, signMail } from "../../testing/sign-mail.ts";
import type { Context } from "../context.ts";
import { inspectMail, type Inspection } from "../services/inspection/inspection.ts";
import { judgeSender } from "./judge-sender.ts";

const server = "abcd1234" as ServerId;
const signer = createSigner("sender.example");
const zone = `
sender.example. TXT "v=spf1 ip4:8.51.100.7 -all"
soft.example. TXT "v=spf1 ~all"
_dmarc.sender.example. TXT "v=DMARC1; p=reject"
${signer.zoneLine}
`;
const mail = "From: a@sender.example\r\nSubject: Hi\r\n\r\nHello\r\n";
const signed = signMail(mail, signer, ["from", "subject"]);

function arrivalOf(changes: Partial<Arrival["session"]>, raw = mail, mailFrom = "a@sender.example"): Arrival {
  const session = { ehlo: "x", clientAddress: "8.51.100.7", protocol: "ESMTP", tls: null, authenticatedAs: null };
  const recipients = [{ address: "x@corp.example", server }];
  return { mailFrom, recipients, raw: Buffer.from(raw), session: { ...session, ...changes } };
}

/** Returns a context whose inspector works in this process. */
function contextWith(inspect: (raw: Uint8Array, inspection: Inspection) => Promise<unknown>, isOff = false): Context {
  return {
    store: { getZone: async () => (isOff ? undefined : zone) },
    settings: { dns: { kind: "off" } },
    inspector: { inspect: async (load: () => Promise<Uint8Array>, one: Inspection) => inspect(await load(), one) },
  } as unknown as Context;
}

const inspecting = contextWith(async (raw, inspection) => inspectMail(raw, inspection, defaultLimits));
const verdictsOf = async (arrival: Arrival): Promise<SenderVerdicts | undefined> =>
  (await judgeSender(inspecting, arrival)).session.verdicts;

describe("judgeSender", () => {
  test("passes a mail that is sent and signed as its domain says", async () => {
    expect(await verdictsOf(arrivalOf({}, signed))).toEqual({ spf: "pass", dkim: "pass", dmarc: "pass" });
  });

  test("fails a mail from another address whose content was changed", async () => {
    const forged = arrivalOf({ clientAddress: "8.51.100.8" }, signed.replace("Hello", "Goodbye"));
    expect(await verdictsOf(forged)).toEqual({ spf: "fail", dkim: "fail", dmarc: "fail" });
  });

  test("is neutral about a mail without signature and policy, and about soft failures", async () => {
    const soft = arrivalOf({}, mail.replace("sender.example", "soft.example"), "a@soft.example");
    expect(await verdictsOf(soft)).toEqual({ spf: "neutral", dkim: "neutral", dmarc: "neutral" });
  });

  test("judges no mail of senders with AUTH, and none where DNS is off", async () => {
    const broken = contextWith(() => Promise.reject(new Error("inspected")));
    const own = arrivalOf({ auth: { user: server, mechanism: "PLAIN" } });
    expect(await judgeSender(broken, own)).toBe(own);
    const off = contextWith(() => Promise.reject(new Error("inspected")), true);
    const other = arrivalOf({});
    expect(await judgeSender(off, other)).toBe(other);
  });

  test("does not defer mail that cannot be judged now", async () => {
    const busy = contextWith(() => Promise.reject(new Problem("too_many_requests")));
    const { session } = await judgeSender(busy, arrivalOf({}));
    expect(session.verdicts).toEqual({ spf: "unknown", dkim: "unknown", dmarc: "unknown" });
  });
});
