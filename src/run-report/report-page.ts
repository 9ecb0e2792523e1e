/** Report of a run: one HTML page without scripts and requests. */
import { createHash } from "node:crypto";
import { Html, markup, countText, durationText, instantText } from "./report-text.ts";
import type { TestRecord } from "./record-schema.ts";
import { messageArticle } from "./report-message.ts";
import { reportStyle } from "./report-style.ts";
import { omittedNote, statusChip, testHead } from "./report-test.ts";

const pictureBytesDefault = 128 * 2 ** 20;

/** Parts of a report. */
export interface ReportParts {
  readonly tests: readonly TestRecord[];
  /** Returns a picture of the record, a PNG; null when it is gone. */
  readonly readPicture: (name: string) => Promise<Uint8Array | null>;
  /** Version of the tool, for the foot. */
  readonly version: string;
  /** Bytes of all pictures; further messages are shown as text. Default: 128 MiB. */
  readonly pictureBytesMax?: number;
}

/** Numbers of a report. */
export interface ReportCounts {
  readonly failed: number;
  readonly messages: number;
  /** Checks that failed, and warnings. */
  readonly bad: number;
  readonly warnings: number;
  /** Milliseconds of all waits. */
  readonly waitMs: number;
}

/** Returns the numbers of some tests. */
export function countsOf(tests: readonly TestRecord[]): ReportCounts {
  const messages = tests.flatMap((test) => test.messages);
  const checks = messages.flatMap((message) => message.checks);
  return {
    failed: tests.filter(({ status }) => status === "failed").length,
    messages: messages.length,
    bad: checks.filter(({ verdict }) => verdict === "bad").length,
    warnings: checks.filter(({ verdict }) => verdict === "warning").length,
    waitMs: tests.flatMap(({ waits }) => waits).reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

/** Yields the page in parts, with one picture at a time in memory. */
export async function* reportPage(parts: ReportParts): AsyncGenerator<string, void> {
  const { tests, readPicture, version, pictureBytesMax: bytesMax = pictureBytesDefault } = parts;
  yield head(tests).text;
  let bytesLeft = bytesMax;
  for (const [at, test] of tests.entries()) {
    const id = `test-${String(at + 1)}`;
    yield markup`<section class="card test" id="${id}" aria-labelledby="${id}-title">${testHead(test, id)}`.text;
    for (const [number, message] of test.messages.entries()) {
      const read = message.picture === undefined ? null : await readPicture(message.picture);
      const picture = read !== null && read.byteLength <= bytesLeft ? read : null;
      bytesLeft -= picture?.byteLength ?? 0;
      yield messageArticle(message, `${id}-message-${String(number + 1)}`, picture).text;
    }
    yield markup`${omittedNote(test)}<p><a href="#overview">Back to the overview</a></p></section>
`.text;
  }
  yield markup`</main>
<footer class="faint">Made by restante ${version}. This file has no scripts and requests nothing.</footer>
</div>
</body>
</html>
`.text;
}

/** Policy that allows the style sheet and the pictures of the page itself, and nothing else. */
function policy(): string {
  const hash = createHash("sha256").update(reportStyle).digest("base64");
  return `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

function head(tests: readonly TestRecord[]): Html {
  const counts = countsOf(tests);
  const [first, last] = [tests[0], tests.at(-1)];
  const when =
    first === undefined || last === undefined
      ? "No tests"
      : `${instantText(first.startedAt)} to ${instantText(last.endedAt)}`;
  const isRun = tests.some(({ status }) => status !== undefined);
  const [noun, title] = isRun ? ["Test", "Mail of the test run"] : ["Recipient", "Mail of a server"];
  const tiles = [
    tile(`${noun}s`, String(tests.length)),
    isRun ? tile("Failed", String(counts.failed), counts.failed > 0) : null,
    tile("Messages", String(counts.messages)),
    tile("Failed checks", String(counts.bad), counts.bad > 0),
    tile("Warnings", String(counts.warnings)),
    isRun ? tile("Waiting", durationText(counts.waitMs)) : null,
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy()}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(reportStyle)}</style>
</head>
<body>
<div class="page">
<header>
<p class="brand">restante</p>
<h1>${title}</h1>
<p class="faint">${when}</p>
<dl class="tiles">${tiles}</dl>
</header>
<main class="tests">
<nav class="card" id="overview" aria-label="${noun}s">
<div class="scroll" tabindex="0" role="group" aria-label="Overview">
<table>
<thead><tr><th scope="col">${noun}</th><th scope="col">Result</th>${columns}</tr></thead>
<tbody>${tests.map(overviewRow)}</tbody>
</table>
</div>
</nav>
`;
}

/** Heads of the columns of numbers. */
const columns = ["Messages", "Waiting", "Checks"].map((name) => markup`<th scope="col" class="number">${name}</th>`);

function tile(name: string, value: string, isBad = false): Html {
  return markup`<div${isBad ? markup` class="bad"` : null}><dt>${name}</dt><dd>${value}</dd></div>`;
}

function overviewRow(test: TestRecord, at: number): Html {
  const { bad, warnings, messages, waitMs } = countsOf([test]);
  const isChecked = test.messages.some(({ checks }) => checks.length > 0);
  const found = [
    ...(bad > 0 ? [`${String(bad)} failed`] : []),
    ...(warnings > 0 ? [countText(warnings, "warning")] : []),
  ];
  return markup`<tr>
<td><a href="#test-${at + 1}"><bdi>${test.title}</bdi></a></td>
<td>${statusChip(test.status)}</td>
<td class="number">${messages}</td>
<td class="number">${test.waits.length === 0 ? "–" : durationText(waitMs)}</td>
<td class="number">${found.length > 0 ? found.join(", ") : isChecked ? "passed" : "–"}</td>
</tr>
`;
}
