/** A test in the report of a run: its time line, and the messages that it received. */
import { type Html, markup, countText, durationText, instantText, offsetText } from "./report-text.ts";
import type { TestRecord } from "./record-schema.ts";

/** Entry of a time line. */
interface Entry {
  /** Milliseconds since the start of the test. */
  readonly from: number;
  /** Duration; null for an instant. */
  readonly durationMs: number | null;
  readonly name: string;
  readonly detail: string;
  /** Reason of a wait that failed. */
  readonly error: string | null;
}

/** Units of the bars. */
const barWidth = 100;

/** Returns the head of a test with its time line. `id` is that of its section. */
export function testHead(test: TestRecord, id: string): Html {
  const { title, status, file, startedAt, endedAt, addresses, problems } = test;
  const totalMs = Math.max(1, msBetween(startedAt, endedAt));
  return markup`<header>
<h2 id="${id}-title"><bdi>${title}</bdi></h2>
<p class="facts">
${statusChip(status)}
${file === undefined ? null : markup`<code>${file}</code>`}
<time datetime="${startedAt}">${instantText(startedAt)}</time>
<span>${durationText(totalMs)}</span>
${addresses.map((address) => markup`<bdi>${address}</bdi> `)}
</p>
</header>
${problems.map((problem) => markup`<p class="why">${problem}</p>`)}
<div>
<h3>Time line</h3>
<ol class="events">${entriesOf(test).map((entry) => entryItem(entry, totalMs))}</ol>
</div>
`;
}

/** Returns the result of a test as a chip; null without one. */
export function statusChip(status: TestRecord["status"]): Html | null {
  return status === undefined ? null : markup`<span class="chip ${status}">${status}</span>`;
}

/** Returns the note about messages that are left out; null without one. */
export function omittedNote({ omittedCount }: TestRecord): Html | null {
  return omittedCount === 0 ? null : markup`<p class="faint">${countText(omittedCount, "older message")} left out</p>`;
}

/** Waits, and the events of messages, by time. */
function entriesOf({ startedAt, waits, messages }: TestRecord): readonly Entry[] {
  const since = (at: string): number => msBetween(startedAt, at);
  const waited = waits.map(({ title, startedAt: at, durationMs, error }) => ({
    from: since(at),
    durationMs,
    name: title.charAt(0).toUpperCase() + title.slice(1),
    detail: `${error === undefined ? "met" : "failed"} after ${durationText(durationMs)}`,
    error: error ?? null,
  }));
  const happened = messages.flatMap(({ subject, type, events }) =>
    events.map(({ at, name, detail }) => {
      const title = subject === undefined ? type : `“${subject}”`;
      const words = [title, ...(detail === undefined ? [] : [detail])].join(": ");
      return { from: since(at), durationMs: null, name, detail: words, error: null };
    }),
  );
  return [...waited, ...happened].toSorted((one, other) => one.from - other.from);
}

function entryItem({ from, durationMs, name, detail, error }: Entry, totalMs: number): Html {
  const start = clamp((from / totalMs) * barWidth, barWidth - 1);
  const width = clamp(((durationMs ?? 0) / totalMs) * barWidth, barWidth - start);
  const why = error === null ? null : markup`<pre class="why" dir="auto">${error}</pre>`;
  return markup`<li class="${error === null ? "met" : "failed"}">
<span class="offset">${offsetText(from)}</span>
<svg class="bar" viewBox="0 0 ${barWidth} 6" preserveAspectRatio="none" aria-hidden="true">
<rect class="track" width="${barWidth}" height="6"/>
<rect class="span" x="${start.toFixed(2)}" width="${Math.max(1, width).toFixed(2)}" height="6"/>
</svg>
<div>${name} <span class="faint"><bdi>${detail}</bdi></span></div>
${why}
</li>
`;
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 0), max);
}

/** 0 when one of the instants is none. */
function msBetween(from: string, to: string): number {
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isNaN(ms) ? 0 : ms;
}
