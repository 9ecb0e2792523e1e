/** Attacks by the holder of one restricted key, or by a sender without any key. */
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "../realistic-mail.ts";
import { bodyFloods, fieldFloods } from "./floods.ts";
import { ask, attackerServer, deliver, type Setting } from "./setting.ts";

/** One attack; `run` resolves when it is over. Bounded in requests, bytes and time. */
export interface Attack {
  readonly name: string;
  readonly run: (setting: Setting) => Promise<void>;
}

const kilobytes = 1024;
const megabytes = 1024 * kilobytes;
const list = `GET /api/messages?server=${attackerServer}`;
const search = `POST /api/messages/search?server=${attackerServer}`;

/** Every attack, in order of execution; later ones see the messages of earlier ones. */
export const attacks: readonly Attack[] = [
  {
    name: "every delimiter in every field, 64 kB",
    run: async (setting) => {
      await sendAll(
        setting,
        fieldFloods().map(({ mail }) => mail(64 * kilobytes)),
        8,
      );
    },
  },
  {
    name: "bodies of the worst kinds, 1 MB",
    run: async (setting) => {
      await sendAll(
        setting,
        bodyFloods().map(({ mail }) => mail(megabytes)),
        8,
      );
    },
  },
  {
    name: "bodies of the worst kinds, 20 MB",
    run: async (setting) => {
      await sendAll(
        setting,
        bodyFloods().map(({ mail }) => mail(20 * megabytes)),
        4,
      );
    },
  },
  {
    name: "codes of 100 mails of digits, 20 times",
    run: async (setting) => {
      const digits = bodyFloods()
        .find(({ name }) => name.includes("digits for codes"))
        ?.mail(64 * kilobytes);
      await sendAll(
        setting,
        Array.from({ length: 100 }, () => digits ?? Buffer.alloc(0)),
        8,
      );
      const ids = await newestIds(setting, 100);
      await askAll(
        setting,
        Array.from({ length: 20 }, () => `GET /web/glances?ids=${ids.join(",")}`),
      );
    },
  },
  {
    name: "spam analysis of 100 hostile mails, 4 times",
    run: async (setting) => {
      const ids = await newestIds(setting, 100);
      await askAll(
        setting,
        Array.from({ length: 400 }, (_, at) => `GET /api/analysis/spam/${ids[at % ids.length] ?? ""}`),
      );
    },
  },
  {
    name: "200 searches for absent bodies at once",
    run: async (setting) => {
      await sendAll(
        setting,
        Array.from({ length: 500 }, (_, seed) => randomMail(seed)),
        8,
      );
      await askAll(
        setting,
        Array.from({ length: 200 }, () => search),
        (at) => ({ body: `absent-${String(at)}-zq` }),
      );
    },
  },
  {
    name: "2,000 waiting searches",
    run: async (setting) => {
      const waiting = `${search}&timeout=5000`;
      await askAll(
        setting,
        Array.from({ length: 2000 }, () => waiting),
        (at) => ({ sentTo: `nobody-${String(at)}@a.example` }),
      );
    },
  },
  {
    name: "1,000 event streams, held for 10 s",
    run: async (setting) => {
      const path = `/api/events?server=${attackerServer}`;
      await hold(
        setting,
        Array.from({ length: 1000 }, () => path),
        { holdMs: 10_000, reads: true },
      );
    },
  },
  {
    name: "60 raw downloads of 20 MB that are not read",
    run: async (setting) => {
      const path = await largestRaw(setting);
      await hold(
        setting,
        Array.from({ length: 60 }, () => path),
        { holdMs: 20_000, reads: false },
      );
    },
  },
  {
    name: "10 searches for 100 full messages",
    run: async (setting) => {
      const full = `${search}&full=true&itemsPerPage=100`;
      await askAll(
        setting,
        Array.from({ length: 10 }, () => full),
        () => ({ subject: "hostile" }),
      );
    },
  },
];

/** Sends the mails over `senders` parallel connections; refused mails do not count as failures. */
async function sendAll({ service }: Setting, mails: readonly Buffer[], senders: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < mails.length; at = next++) {
      await deliver(service, attackerServer, mails[at] ?? Buffer.alloc(0));
    }
  };
  await Promise.all(Array.from({ length: senders }, work));
}

/** Sends all requests concurrently; rejections (429, 503) count as responses. */
async function askAll(
  { service, attackerKey }: Setting,
  lines: readonly string[],
  body: (at: number) => unknown = () => undefined,
): Promise<void> {
  await Promise.all(
    lines.map(async (line, at) => ask({ service, key: attackerKey }, line, body(at)).catch(() => undefined)),
  );
}

async function newestIds({ service, attackerKey }: Setting, count: number): Promise<readonly string[]> {
  const items = await ask({ service, key: attackerKey }, `${list}&itemsPerPage=${String(count)}`);
  return (items as readonly { readonly id: string }[]).map(({ id }) => id);
}

async function largestRaw(setting: Setting): Promise<string> {
  const noise = Buffer.from(Buffer.alloc(15 * megabytes, 1).map((_, at) => (at * 2_654_435_761) >>> 13)).toString(
    "base64",
  );
  const lines = noise.replaceAll(/.{76}/g, "$&\r\n");
  await sendAll(
    setting,
    [Buffer.from(`From: a@b.c\r\nSubject: large\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`)],
    1,
  );
  const [id = ""] = await newestIds(setting, 1);
  return `/api/files/email/${id}`;
}

/** Opens a connection per path, sends a request, and keeps it open; without `reads` the response is not read. */
async function hold(
  { service, attackerKey }: Setting,
  paths: readonly string[],
  { holdMs, reads }: { readonly holdMs: number; readonly reads: boolean },
): Promise<void> {
  const sockets = paths.map((path): Socket => {
    const socket = connect(service.httpPort, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    if (reads) socket.resume();
    else socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${attackerKey}\r\n\r\n`);
    return socket;
  });
  await pause(holdMs);
  for (const socket of sockets) socket.destroy();
}

/** Builds a mail of random tokens, as tracking links contain them. */
function randomMail(seed: number): Buffer {
  const random = seededRandom(seed);
  const token = (): string => Array.from({ length: 4 }, () => Math.floor(random() * 2 ** 32).toString(36)).join("");
  const links = Array.from({ length: 120 }, () => `http://t.example/${token()}?u=${token()}`);
  return Buffer.from(`From: a@b.c\r\nSubject: ${token()}\r\n\r\n${links.join("\r\n")}\r\n`);
}
