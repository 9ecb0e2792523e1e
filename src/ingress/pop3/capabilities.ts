import type { Pop3Command } from "./session.ts";

/** CAPA (RFC 2449): the capabilities in the present state. */
export const capa: Pop3Command = async (session) => {
  const lines = [
    "TOP",
    "UIDL",
    "RESP-CODES",
    "AUTH-RESP-CODE",
    "PIPELINING",
    "EXPIRE NEVER",
    ...(session.acceptsCredentials ? ["USER", "SASL PLAIN"] : []),
    ...(session.offersTls && session.maildrop === null ? ["STLS"] : []),
    "IMPLEMENTATION restante",
    ".",
  ];
  await session.connection.write(`+OK Capabilities follow\r\n${lines.join("\r\n")}\r\n`);
  return {};
};
