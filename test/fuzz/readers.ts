/** Readers of outside bytes as targets: mail, its bodies, queries, imports and templates. */
import { analyseHtml } from "../../src/analysis/analyse-html.ts";
import { analyseText } from "../../src/analysis/analysed-text.ts";
import { flattenHtml } from "../../src/analysis/flatten-html.ts";
import { readImageFormat } from "../../src/analysis/safe-image.ts";
import { withoutQuotedHtml, splitReply } from "../../src/analysis/reply-content.ts";
import { parseZone, ZoneError } from "../../src/authentication/zone.ts";
import { parseQuery } from "../../src/core/search/parse-query.ts";
import { readSpamdResponse } from "../../src/egress/checks/spamd.ts";
import { readBodyLine } from "../../src/transfer/export-lines.ts";
import { ShapeError } from "../../src/transfer/shape.ts";
import { readMbox } from "../../src/transfer/mbox.ts";
import { mailTargets } from "./mails.ts";
import { type FuzzTarget, readerTarget } from "./target.ts";
import { templateTargets } from "./templates.ts";

const htmlTokens = [
  ..."<table>|</table>|<td>|<tr>|<div style='display:none'>|</div>|<a href='https://a.example/x'>|</a>|<br>|<pre>|<wbr>".split(
    "|",
  ),
  ..."<img src='cid:a'>|<style>|</style>|<script>|</script>|<!--|-->|<![if mso]>|<![endif]>|<svg>|<title>|&amp;|&#x10ffff;|&nbsp".split(
    "|",
  ),
  ..."Your code is |482 913|G-482913|https://bit.ly/x|@media (prefers-color-scheme:dark){|url(|;|}|<blockquote>|On Mon, A wrote:".split(
    "|",
  ),
];
const htmlSeeds = [
  "<html><body><p>Your code is <b>482913</b></p><a href='https://app.example/a?b=c'>Open</a></body></html>",
  "<style>.a{color:red}@media (max-width:1px){.a{display:none}}</style><table><tr><td class=a>1<td>2</table>",
  "<div>New<blockquote type=cite>Old</blockquote></div><img src=cid:x alt='An image'>",
];

const instant = Date.UTC(2026, 10, 20);

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
  await Promise.resolve();
}

/** Runs a reader that refuses inputs with an error for the operator. */
async function refusing(read: () => unknown, isRefusal: (error: unknown) => boolean): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

/** Returns whether an error is one for the operator: no fault of the program has exactly this class. */
const isPlainError = (error: unknown): boolean => error instanceof Error && error.constructor === Error;

const otherTargets: readonly FuzzTarget[] = [
  readerTarget({
    name: "html",
    seeds: htmlSeeds,
    tokens: htmlTokens,
    read: (input) => {
      const html = input.toString();
      analyseHtml(html);
      flattenHtml(html, 100);
      withoutQuotedHtml(html);
    },
  }),
  readerTarget({
    name: "text",
    seeds: ["Your code is 482 913.\n\nhttps://app.example/confirm?x=1\n", "New\n\nOn Mon, A wrote:\n> Old\n-- \nA\n"],
    tokens: htmlTokens,
    read: (input) => {
      const text = input.toString();
      analyseText(text);
      splitReply(text);
    },
  }),
  readerTarget({
    name: "search-query",
    seeds: ['from:shop has:attachment after:1h -tag:seen "a b"', "(subject:a OR to:b@c.example) larger:1M is:unread"],
    tokens: ' |OR|AND|(|)|-|"|from:|to:|subject:|body:|after:|before:|older:|has:|is:|tag:|larger:|1h|2026-11-20'.split(
      "|",
    ),
    read: (input) => {
      const query = input.toString();
      parseQuery(query, { now: instant });
      parseQuery(query, { now: instant, dialect: "mailpit" });
    },
  }),
  readerTarget({
    name: "mbox",
    seeds: [
      "From a@b.example Fri Nov 20 10:42:07 2026\nSubject: x\n\n>From here\n\nFrom - Fri Nov 20 10:42:08 2026\n\ny\n",
    ],
    tokens: ["\nFrom ", "\n>From ", "Fri Nov 20 10:42:07 2026", "MAILER-DAEMON ", "+0100", "\n\n", "\r\n"],
    read: (input) => refusing(async () => await Array.fromAsync(readMbox(chunksOf(input), 1024 * 1024)), isPlainError),
  }),
  readerTarget({
    name: "export-line",
    seeds: [
      '{"kind":"server","id":"abcd1234","name":"A","createdAt":1}',
      '{"kind":"message","id":"0199aabb-ccdd-8eee-8fff-001122334455","detail":"","raw":"YQ=="}',
      '{"kind":"end","sha256":"00","lines":3}',
    ],
    tokens: ['"kind":', '"message"', '"key"', '"object"', "null", "{}", "[]", '""', ",", ":"],
    read: (input) =>
      refusing(
        () => readBodyLine(JSON.parse(input.toString())),
        (error) => error instanceof ShapeError || error instanceof SyntaxError,
      ),
  }),
  readerTarget({
    name: "zone-file",
    seeds: ['$ORIGIN a.example.\n@ 3600 IN TXT ( "v=spf1" " -all" ) ; note\nmail IN A 192.0.2.1\n@ MX 10 mail\n'],
    tokens: ["TXT", "CNAME", "MX", "AAAA", "PTR", "$ORIGIN ", "$TTL ", "(", ")", '"', ";", "\\032", "@", "."],
    read: (input) =>
      refusing(
        () => parseZone(input.toString()),
        (error) => error instanceof ZoneError,
      ),
  }),
  readerTarget({
    name: "spamd-response",
    seeds: ["SPAMD/1.1 0 EX_OK\r\nSpam: True ; 6.5 / 5.0\r\n\r\n pts rule name\r\n 2.5 URIBL_BLOCKED blocked\r\n"],
    tokens: ["SPAMD/1.1 ", "Spam: ", "True", " ; ", " / ", "\r\n\r\n", "pts"],
    read: (input) => refusing(() => readSpamdResponse(input.toString()), isPlainError),
  }),
  readerTarget({
    name: "image",
    seeds: [
      Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
      Buffer.from("ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100", "hex"),
      Buffer.from("474946383961010001008000000000ffffff21f904", "hex"),
      Buffer.from("524946461a000000574542505650384c0d0000002f00000010", "hex"),
    ],
    tokens: ["IHDR", "acTL", "VP8X", "\xff\xc2", "GIF89a", "II*\0", "ftypavif"],
    read: (input) => readImageFormat(input),
  }),
];

/** Every reader of outside bytes that is not behind a listener alone. */
export const readerTargets: readonly FuzzTarget[] = [...mailTargets, ...templateTargets, ...otherTargets];
