/** Mail for the screenshots of the guide. */
import { createTransport } from "nodemailer";
import type { RestanteSmtp } from "../src/testing/restante-options.ts";

interface Kind {
  readonly name: string;
  readonly subject: string;
  readonly from: string;
  readonly text: string;
  readonly hasCode: boolean;
}

const kinds: readonly Kind[] = [
  {
    name: "sign-up",
    subject: "Confirm your email address",
    from: "Harbour <hello@harbour.example>",
    text: "Enter this code to confirm your address. It expires in 10 minutes.",
    hasCode: true,
  },
  {
    name: "order",
    subject: "Your order is on its way",
    from: "Harbour orders <orders@harbour.example>",
    text: "Your order has shipped and should arrive on Thursday.",
    hasCode: false,
  },
  {
    name: "reset",
    subject: "Reset your password",
    from: "Harbour <accounts@harbour.example>",
    text: "We received a request to reset your password. If you did not make it, ignore this email.",
    hasCode: true,
  },
  {
    name: "invite",
    subject: "Mara has invited you to “Kitchen plans”",
    from: "Harbour boards <boards@harbour.example>",
    text: "Mara shared a board with you. Open it to view and comment.",
    hasCode: false,
  },
  {
    name: "invoice",
    subject: "Your invoice",
    from: "Harbour billing <billing@harbour.example>",
    text: "Your invoice is attached. Your card will be charged on the first of the month.",
    hasCode: false,
  },
];

/** Sends one of the mails to the server; each number has its own kind of mail, recipient and code. */
export async function sendNumber(
  service: { readonly smtp: Pick<RestanteSmtp, "host" | "port"> },
  server: string,
  number: number,
): Promise<void> {
  const kind = kinds[(number * 7) % kinds.length];
  if (kind === undefined) return;
  const code = kind.hasCode ? String(100_000 + ((number * 79_193) % 900_000)) : null;
  const transport = createTransport({ ...service.smtp, tls: { rejectUnauthorized: false } });
  await transport.sendMail({
    from: kind.from,
    to: `${kind.name}-${1040 + number}@${server}.restante.test`,
    subject: kind.subject,
    text: `${kind.text}\n${code === null ? "" : `\nYour code is ${code}.\n`}\nhttps://harbour.example/continue?token=7f3a\n`,
    html: pageOf(kind, code),
    attachments: [
      { filename: "logo.png", cid: "logo@harbour", content: logo() },
      ...(kind.name === "invoice"
        ? [{ filename: `invoice-${1040 + number}.pdf`, content: invoice(1040 + number) }]
        : []),
    ],
  });
  transport.close();
}

function pageOf({ subject, text }: Kind, code: string | null): string {
  const digits = code === null ? "" : `<p style="font-size:32px;letter-spacing:6px;font-weight:bold">${code}</p>`;
  return `<!doctype html><html><head><style>
    body { margin: 0; padding: 32px 16px; background: #eef1f6; color: #1f2937; font-family: Helvetica, Arial, sans-serif }
    .card { max-width: 520px; margin: 0 auto; padding: 32px; background: #fff; border-radius: 12px }
    a.button { display: inline-block; padding: 12px 20px; background: #0f766e; color: #fff; border-radius: 8px; text-decoration: none }
    .foot { color: #64748b; font-size: 12px }
    @media (prefers-color-scheme: dark) { body { background: #0f1216; color: #e5e7eb } .card { background: #1c2129 } .foot, .foot a { color: #94a3b8 } }
  </style></head><body><div class="card"><img src="cid:logo@harbour" width="44" height="44" alt="Harbour" style="border-radius:10px">
  <h1 style="font-size:22px">${subject}</h1><p style="line-height:1.6">${text}</p>${digits}
  <p><a class="button" href="https://harbour.example/continue?token=7f3a">Continue</a></p>
  <p class="foot">You received this email because you have an account at <a href="https://harbour.example">harbour.example</a>.</p></div>
  <img src="https://track.harbour.example/open.gif" width="1" height="1" alt=""></body></html>`;
}

/** Returns a PDF of one page; its padding gives it the size of a real invoice. */
function invoice(number: number): Buffer {
  const lines = [
    [24, `Invoice ${number}`],
    [12, "Harbour Ltd, 4 Quay Street"],
    [12, "2 x Ceramic planter          48.00"],
    [12, "1 x Delivery                  6.50"],
    [12, "Total                        54.50 EUR"],
  ] as const;
  const text = lines.map(([size, line]) => `/F1 ${size} Tf (${line}) Tj 0 -28 Td`).join("\n");
  const content = `BT 60 350 Td\n${text}\nET`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 420]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Courier>>",
  ].map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`);
  const header = `%PDF-1.7\n%${"-".repeat(24_000 + number * 20)}\n`;
  const offsets = objects.map((_, at) => header.length + objects.slice(0, at).join("").length);
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const start = header.length + objects.join("").length;
  const trailer = `trailer<</Size 6/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(`${header}${objects.join("")}xref\n0 6\n0000000000 65535 f \n${entries}${trailer}`, "latin1");
}

/** Returns a PNG of one teal pixel. */
function logo(): Buffer {
  return Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mPgL8v7DwADLgHX1MlRlAAAAABJRU5ErkJggg==",
    "base64",
  );
}
