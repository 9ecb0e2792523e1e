import type { FaultTlsFailure } from "../../../core/fault.ts";
import { applyFault } from "../faults.ts";
import { reply, unexpectedArgument, type Reply } from "../reply.ts";
import type { Session, Verb } from "../session.ts";

const ready = reply("220 2.0.0", "Ready to start TLS");
const unavailable = reply("454 4.7.0", "TLS not available due to local problem", { refusal: "fault" });
const notOffered = reply("502 5.5.1", "Error: command not implemented", { refusal: "syntax" });
const alreadySecure = reply("503 5.5.1", "Error: TLS already active", { refusal: "sequence" });

/** STARTTLS (RFC 3207): drops pipelined clear text and resets the session. */
export const starttls: Verb = (session, argument) => {
  if (argument !== "") return unexpectedArgument;
  if (session.tls !== null) return alreadySecure;
  if (!session.isTlsAccepted) return notOffered;
  return secure(session);
};

async function secure(session: Session): Promise<Reply | null> {
  let tlsFault: FaultTlsFailure | null = null;
  const refusal = await applyFault<Reply | null>(
    session,
    { stage: "starttls", isTlsHandshake: true },
    {
      proceed: (then) => {
        if (then?.tls === "refuse") return unavailable;
        tlsFault = then?.tls ?? null;
        return null;
      },
    },
  );
  if (refusal !== null) return refusal;
  session.send(ready);
  await session.startTls(tlsFault);
  return null;
}
