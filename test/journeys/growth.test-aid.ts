/** Hostile bytes for each protocol of the listeners, before authentication. */

/** Bytes of clients before authentication. */
export interface Protocol {
  /** Longest command or header section that is read, in bytes. */
  readonly lengthMax: number;
  /** Whether the service speaks first. */
  readonly greets: boolean;
  /** Starts of commands. */
  readonly starts: readonly string[];
  /** Returns what is sent for a command. */
  readonly frame: (command: string) => string;
}

/** Texts that are repeated: each is a run that a reader could go back over. */
export const pumps: readonly string[] = [
  ...Array.from(' \t\ra0.,;:=@<>()[]{}"\\/%-+*&\u00e9'),
  ...["%25", "a ", " a", "a.", "a@", "a=", "a;", ',"', '\\"', '"a" ', "[ ", "()", "<@a,"].values(),
];

/** Texts after the run, which end the match of many expressions. */
export const ends: readonly string[] = ["", "!\u0001"];

const crlf = (command: string): string => `${command}\r\n`;

const smtp: Protocol = {
  lengthMax: 12_288,
  greets: true,
  starts: ["", "EHLO ", "MAIL FROM:", "MAIL FROM:<", "MAIL FROM:<a@b> ", "RCPT TO:<", "AUTH PLAIN ", "AUTH ", "VRFY "],
  frame: crlf,
};

const pop3: Protocol = {
  lengthMax: 12_288,
  greets: true,
  starts: ["", "USER ", "PASS ", "AUTH PLAIN ", "AUTH ", "X a"],
  frame: crlf,
};

const imap: Protocol = {
  lengthMax: 40 * 1024,
  greets: true,
  starts: ["", "a", "a ", "a LOGIN ", 'a LOGIN "', "a LOGIN [", "a AUTHENTICATE PLAIN ", "a ID (", "a ENABLE "],
  frame: crlf,
};

/** Lines of a command that literals join. */
const imapLiterals: Protocol = {
  ...imap,
  starts: ["a LOGIN ", "a LOGIN x["],
  frame: (command) => crlf(command.replaceAll(/.{1000}/gs, (line) => `${line} {1+}\r\nx `)),
};

const fields = [
  "Authorization: Basic ",
  "Authorization: Bearer ",
  "Authorization: ",
  "Cookie: ",
  "Forwarded: for=",
  "Origin: ",
  "X-Forwarded-For: ",
  "Content-Type: ",
  "Accept: ",
  "Accept-Encoding: ",
  "If-None-Match: ",
  "Range: bytes=",
  "Transfer-Encoding: ",
  "Content-Length: ",
  "Upgrade: ",
  "Sec-WebSocket-Key: ",
  "Mcp-Session-Id: ",
  "Expect: ",
];

const http: Protocol = {
  lengthMax: 16_000,
  greets: false,
  starts: [
    "",
    "GET /",
    "GET /api/messages?server=",
    "GET /api/messages/",
    "GET /mcp?",
    "CONNECT ",
    "CONNECT a:",
    ...fields.map((field) => `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${field}`),
    "GET / HTTP/1.1\r\nHost: ",
    "GET /api/v1/messages?query=",
    "GET /email?subject=",
  ],
  frame: (command) => {
    const [line = "", ...rest] = command.split("\r\n");
    const request = line.endsWith(" HTTP/1.1") ? line : `${line} HTTP/1.1\r\nHost: localhost`;
    return [request, ...rest, "Connection: close", "", ""].join("\r\n");
  },
};

const proxy: Protocol = {
  lengthMax: 4112,
  greets: false,
  starts: ["", "PROXY ", "PROXY TCP4 ", "PROXY TCP6 ", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nEHLO "],
  frame: crlf,
};

/** Protocols of a setting that opens a listener; those of TLS are the same after the handshake. */
export const protocolsOf: ReadonlyMap<string, readonly Protocol[]> = new Map<string, readonly Protocol[]>([
  ["SMTP", [smtp]],
  ["SMTPS", [smtp]],
  ["LMTP", [{ ...smtp, starts: [...smtp.starts, "LHLO "] }]],
  ["POP3", [pop3]],
  ["POP3S", [pop3]],
  ["IMAP", [imap, imapLiterals]],
  ["IMAPS", [imap, imapLiterals]],
  ["HTTP", [http]],
  ["HTTPS", [http]],
  ["MAILPIT", [http]],
  ["MAILHOG", [http]],
  ["MAILDEV", [http]],
  ["SMTP4DEV", [http]],
]);

/** Header of load balancers before SMTP. */
export const proxyProtocol: Protocol = proxy;
