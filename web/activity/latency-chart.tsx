import type { ReactElement } from "react";
import { formatDuration } from "../shared/format.ts";
import { strings } from "../strings.ts";
import type { Timing } from "../wire.ts";
import { sizeClasses, spreadOf } from "./statistics.ts";

/** Upper bounds of the classes, in milliseconds. */
const bounds = [1, 2, 5, 10, 20, 50, 100, 1000];
const steps = ["storedMs", "toldMs", "listedMs"] as const;

/** How long mails took: to their 250, from there to whoever waits, and to the first list. */
export function LatencyChart({ timings }: { readonly timings: readonly Timing[] }): ReactElement {
  const words = strings.pictures;
  return (
    <figure className="panel stack wide">
      <figcaption className="row wrap">
        <h2>{words.latency}</h2>
        <span className="faint small push">{words.latencyLead(timings.length)}</span>
      </figcaption>
      <div className="latency">
        {steps.map((step) => (
          <Step key={step} step={step} durations={timings.flatMap((timing) => timing[step] ?? [])} />
        ))}
      </div>
    </figure>
  );
}

function Step(props: { readonly step: (typeof steps)[number]; readonly durations: readonly number[] }): ReactElement {
  const { step, durations } = props;
  const words = strings.pictures;
  const [title, meaning] = words.latencySteps[step];
  const spread = spreadOf(durations);
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      <p className="faint small">{meaning}</p>
      {spread === null ? (
        <p className="soft">{words.noneTold}</p>
      ) : (
        <>
          <p className="latency-median">
            <b>{formatDuration(spread.median)}</b> <span className="faint">{words.median}</span>
          </p>
          <Bars durations={durations} />
          <p className="faint small">
            {words.most} {formatDuration(spread.most)} · {words.worst} {formatDuration(spread.worst)} ·{" "}
            {words.ofMails(spread.count)}
          </p>
        </>
      )}
    </section>
  );
}

function Bars({ durations }: { readonly durations: readonly number[] }): ReactElement {
  const counts = sizeClasses(durations, bounds);
  const most = Math.max(...counts, 1);
  const words = strings.pictures;
  return (
    <ol className="bars low">
      {counts.map((count, at) => {
        const name = words.latencyClasses[at] ?? "";
        const text = words.latencyBar(count, name);
        return (
          <li
            key={name}
            title={text}
            data-empty={count === 0}
            style={{ height: `${((count / most) * 100).toString()}%` }}
          >
            {count > 0 && <span className="visually-hidden">{text}</span>}
          </li>
        );
      })}
    </ol>
  );
}
