/** Mails that are expensive to parse: every delimiter in every structured field, and worst-case bodies. */

/** One hostile mail of about `sizeBytes`. */
export interface Flood {
  readonly name: string;
  readonly mail: (sizeBytes: number) => Buffer;
}

const fields = [
  "From",
  "To",
  "Cc",
  "Reply-To",
  "Sender",
  "Subject",
  "Date",
  "Message-ID",
  "References",
  "Received",
  "Content-Type",
  "Content-Disposition",
  "Content-Transfer-Encoding",
  "Content-ID",
  "List-Unsubscribe",
  "DKIM-Signature",
  "Authentication-Results",
] as const;

/** Delimiters with their context; each is repeated until the field has its size. */
const delimiters: Readonly<Record<string, string>> = {
  quote: '"',
  "escaped quote": '\\"',
  backslash: "\\",
  "quoted word": '"a" ',
  "open comment": "(",
  "close comment": ")",
  comment: "(a) ",
  "escaped comment": "(\\) ",
  "angle bracket": "<",
  "angle pair": "<a@b.c>",
  "square bracket": "[",
  "group start": "g:",
  "group end": ";",
  group: "g:a@b.c;",
  comma: ",",
  dot: ".",
  "at sign": "@",
  address: "a@b.c,",
  "encoded word start": "=?utf-8?q?",
  "encoded word": "=?utf-8?b?YQ==?= ",
  "encoded word, shifted": "=?iso-2022-jp?b?GyRCJCI=?= ",
  "question marks": "=?",
  parameter: ";a=b",
  continuation: ";a*0*=utf-8''%41",
  "quoted parameter": ';a="b\\"',
  percent: "%",
  "equals sign": "=",
  digits: "12:34:56 ",
  "folded line": "\r\n ",
  tab: "\t",
};

/** Repeated body content, by name. */
const bodies: Readonly<Record<string, { readonly head: string; readonly piece: string; readonly end?: string }>> = {
  "HTML references": { head: "Content-Type: text/html", piece: "&amp" },
  "HTML tags left open": { head: "Content-Type: text/html", piece: "<a b='" },
  "HTML nested elements": { head: "Content-Type: text/html", piece: "<div><b>" },
  "HTML comments left open": { head: "Content-Type: text/html", piece: "<!-- <" },
  "HTML links": { head: "Content-Type: text/html", piece: "<a href=http://a.b>x</a>" },
  "HTML attributes": { head: "Content-Type: text/html", piece: "<p a=1 b=2 c=3 " },
  "digits for codes": { head: "Content-Type: text/plain", piece: "804 219 code 118-402 " },
  "digits without space": { head: "Content-Type: text/plain", piece: "1234567890" },
  "text links": { head: "Content-Type: text/plain", piece: "http://a.b/?c=d " },
  "one letter": { head: "Content-Type: text/plain", piece: "a" },
  "hz-gb-2312": { head: "Content-Type: text/plain; charset=hz-gb-2312", piece: "~{VPND~}" },
  "iso-2022-jp": { head: "Content-Type: text/plain; charset=iso-2022-jp", piece: '\u001B$B$"\u001B(B' },
  "utf-7": { head: "Content-Type: text/plain; charset=utf-7", piece: "+AGE-" },
  "quoted-printable": {
    head: "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable",
    piece: "=41=\r\n",
  },
  "base64 padding": { head: "Content-Type: text/plain\r\nContent-Transfer-Encoding: base64", piece: "YQ==" },
  uuencode: {
    head: "Content-Type: text/plain\r\nContent-Transfer-Encoding: x-uuencode",
    piece: "begin 644 a\r\n#86)C\r\n",
  },
  "boundary lines": { head: 'Content-Type: multipart/mixed; boundary="b"', piece: "--bx\r\n" },
  parts: { head: 'Content-Type: multipart/mixed; boundary="b"', piece: "--b\r\n\r\n\r\n" },
  "nested messages": { head: "Content-Type: message/rfc822", piece: "Content-Type: message/rfc822\r\n\r\n" },
  "format=flowed": { head: "Content-Type: text/plain; format=flowed", piece: "> >> a \r\n" },
};

const plainHead = "From: a@example.org\r\nTo: b@example.org\r\nSubject: hostile\r\n";

/** Returns a flood for each delimiter in each field. */
export function fieldFloods(): readonly Flood[] {
  return fields.flatMap((field) =>
    Object.entries(delimiters).map(([name, piece]) => ({
      name: `${field}: ${name}`,
      mail: (sizeBytes: number) =>
        Buffer.from(
          `${field}: ${piece.repeat(Math.ceil(sizeBytes / piece.length))}\r\nX-End: 1\r\n\r\nbody\r\n`,
          "latin1",
        ),
    })),
  );
}

/** Returns a flood for each kind of body. */
export function bodyFloods(): readonly Flood[] {
  return Object.entries(bodies).map(([name, { head, piece }]) => ({
    name: `body: ${name}`,
    mail: (sizeBytes: number) =>
      Buffer.from(`${plainHead}${head}\r\n\r\n${piece.repeat(Math.ceil(sizeBytes / piece.length))}\r\n`, "latin1"),
  }));
}
