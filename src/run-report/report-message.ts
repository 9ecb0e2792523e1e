/** A message in the report of a run: its picture or text, what it contains, and its checks. */
import { type Html, type HtmlValue, markup, instantText, sizeText } from "./report-text.ts";
import type { CheckRecord, MessageRecord } from "./record-schema.ts";

/** Signs and words of verdicts. */
const marks: Readonly<Record<CheckRecord["verdict"], readonly [sign: string, word: string]>> = {
  good: ["✓", "Passed"],
  warning: ["!", "Warning"],
  bad: ["✗", "Failed"],
  unknown: ["–", "Not judged"],
};

/** Returns the article of a message. `heading` is the id of its heading; the picture is a PNG. */
export function messageArticle(message: MessageRecord, heading: string, picture: Uint8Array | null): Html {
  const { type, from, to, received } = message;
  return markup`<article class="mail ${type.toLowerCase()}" aria-labelledby="${heading}">
<header>
<h3 id="${heading}"><bdi>${titleOf(message)}</bdi></h3>
<p class="facts">
<span>from <bdi>${from.join(", ")}</bdi></span>
<span>to <bdi>${to.join(", ")}</bdi></span>
<time datetime="${received}">${instantText(received)}</time>
</p>
</header>
<div class="content">
${shown(message, picture)}
<div class="details">${contentList(message)}${checkList(message)}${textOf(message, picture)}</div>
</div>
</article>
`;
}

function titleOf({ subject, type }: MessageRecord): string {
  return subject ?? (type === "SMS" ? "SMS" : "Mail without a subject");
}

function shown(message: MessageRecord, picture: Uint8Array | null): Html {
  const { text = "The message has no text." } = message;
  const problem = message.problems.join("; ");
  const caption = problem === "" ? null : markup`<figcaption>${problem}</figcaption>`;
  if (picture === null) return markup`<figure>${plainText(text)}${caption}</figure>`;
  const base64 = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength).toString("base64");
  return markup`<figure>
<div class="picture" tabindex="0" role="group" aria-label="Picture of the mail">
<img src="data:image/png;base64,${base64}" alt="Picture of the mail in Gmail; its text follows below the checks">
</div>
${caption}
</figure>`;
}

/** A picture is followed by the text, for searches and readers of the screen. */
function textOf({ text }: MessageRecord, picture: Uint8Array | null): Html | null {
  if (picture === null || text === undefined) return null;
  return markup`<details><summary>Text of the mail</summary>${plainText(text)}</details>`;
}

function plainText(text: string): Html {
  return markup`<pre class="plain" tabindex="0" role="group" aria-label="Text of the message" dir="auto">${text}</pre>`;
}

function contentList({ codes, links, attachments }: MessageRecord): Html | null {
  const rows = [
    row(
      "One-time codes",
      codes.map((code) => markup`<code class="one-time">${code}</code> `),
    ),
    listRow(
      "Links",
      links.map(
        ({ text, url }) =>
          markup`${text === undefined || text === url ? null : markup`<bdi>${text}</bdi> → `}<code>${url}</code>`,
      ),
    ),
    listRow(
      "Attachments",
      attachments.map(
        ({ name, type, bytes }) =>
          markup`<bdi>${name ?? "no name"}</bdi> <span class="faint">${type}, ${sizeText(bytes)}</span>`,
      ),
    ),
  ].filter((one) => one !== null);
  return rows.length === 0 ? null : markup`<dl>${rows}</dl>`;
}

function row(name: string, values: readonly HtmlValue[]): Html | null {
  return values.length === 0 ? null : markup`<div><dt>${name}</dt><dd>${values}</dd></div>`;
}

function listRow(name: string, values: readonly Html[]): Html | null {
  const items = values.map((value) => markup`<li>${value}</li>`);
  return row(name, items.length === 0 ? [] : [markup`<ul>${items}</ul>`]);
}

function checkList({ checks }: MessageRecord): Html | null {
  if (checks.length === 0) return null;
  return markup`<div><h4>Checks</h4><ul class="checks">${checks.map(checkItem)}</ul></div>`;
}

function checkItem({ name, verdict, summary, findings }: CheckRecord): Html {
  const [sign, word] = marks[verdict];
  const line = markup`<span class="mark" aria-hidden="true">${sign}</span><span class="unseen">${word}: </span>${name}
<span class="faint">${summary}</span>`;
  if (findings.length === 0) return markup`<li class="${verdict}">${line}</li>`;
  const items = findings.map((finding) => markup`<li><bdi>${finding}</bdi></li>`);
  return markup`<li class="${verdict}">
<details><summary>${line}</summary><ul class="findings">${items}</ul></details>
</li>`;
}
