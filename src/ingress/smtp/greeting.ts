import type { FaultTlsFailure } from "../../core/fault.ts";
import { applyFault, replyLost } from "./faults.ts";
import { closing, noReply, reply, type PendingReply, type Reply } from "./reply.ts";
import type { Session } from "./session.ts";

/** Returns the greeting (RFC 5321 §3.1); with implicit TLS the handshake, and the greeting after it. */
export function greeting(session: Session, implicitTls: boolean): PendingReply {
  const open = (first: Reply, fault: FaultTlsFailure | null): Reply =>
    implicitTls ? noReply({ kind: "tls", fault, first }) : first;
  return applyFault(
    session,
    { stage: "connect", isTlsHandshake: implicitTls },
    {
      proceed: (then) => {
        if (then?.tls === "refuse") return replyLost;
        return open(
          reply("220", `${session.context.hostname} ${session.isLmtp ? "LMTP" : "ESMTP"}`),
          then?.tls ?? null,
        );
      },
      refuse: (refusal) => open(closing(refusal), null),
    },
  );
}
