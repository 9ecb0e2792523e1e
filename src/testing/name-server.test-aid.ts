import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Types of records that tests answer (RFC 1035 §3.2.2). */
export const recordTypes = { a: 1, txt: 16 } as const;

/** Returns the contents of the records of a name and type; null: the name does not exist; undefined: there is no answer. */
export type NameServerAnswers = (name: string, type: number) => readonly Uint8Array[] | null | undefined;

/** Returns the content of a TXT record of at most 255 bytes. */
export function textRecord(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** Starts a DNS server at an address of this machine, `127.0.0.1:<port>`, by UDP and TCP. */
export async function openNameServer(
  answers: NameServerAnswers,
): Promise<AsyncDisposable & { readonly address: string }> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const reply = replyTo(query, answers);
    if (reply !== undefined) socket.send(reply, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  // Queries of tests arrive in one piece, with their length in front (RFC 7766 §8).
  const server = createServer((connection) =>
    connection
      .on("error", () => undefined)
      .on("data", (query: Buffer) => {
        const reply = replyTo(query.subarray(2), answers);
        if (reply !== undefined) connection.write(Buffer.concat([Buffer.of(reply.length >> 8, reply.length), reply]));
      }),
  );
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${String(port)}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      socket.close();
      await once(socket, "close");
    },
  };
}

function replyTo(query: Buffer, answers: NameServerAnswers): Buffer | undefined {
  const end = query.indexOf(0, 12) + 5;
  const type = query.readUInt16BE(end - 4);
  const found = answers(nameOf(query), type);
  if (found === undefined) return undefined;
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(found === null ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(found?.length ?? 0, 6);
  head.writeUInt32BE(0, 8);
  const records = (found ?? []).map((content) =>
    Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, content.length]), content]),
  );
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

function nameOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0 && at < query.length; at += (query[at] ?? 0) + 1)
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join(".").toLowerCase();
}
