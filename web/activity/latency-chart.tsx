import { clsx } from "clsx";
import type { ReactElement } from "react";
import { formatDuration } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import pageStyles from "../shared/page.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Timing } from "../wire.ts";
import styles from "./activity.module.css";
import { countByClass, spreadOf } from "./statistics.ts";

/** Upper bounds of the classes, in milliseconds. */
const bounds = [1, 2, 5, 10, 20, 50, 100, 1000];
const steps = ["storedMs", "toldMs", "listedMs"] as const;

/** Latencies of emails: until the 250 reply, until a waiter was notified, and until the first list. */
export function LatencyChart({ timings }: { readonly timings: readonly Timing[] }): ReactElement {
  const labels = pageStrings.activity;
  return (
    <figure className={clsx(pageStyles.panel, layout.stack, styles.wide)}>
      <figcaption className={clsx(layout.row, layout.wrap)}>
        <h2>{labels.latency}</h2>
        <span className={clsx(layout.faint, layout.small, layout.push)}>{labels.latencyLead(timings.length)}</span>
      </figcaption>
      <div className={styles.latency}>
        {steps.map((step) => (
          <Step key={step} step={step} durations={timings.flatMap((timing) => timing[step] ?? [])} />
        ))}
      </div>
    </figure>
  );
}

function Step(props: { readonly step: (typeof steps)[number]; readonly durations: readonly number[] }): ReactElement {
  const { step, durations } = props;
  const labels = pageStrings.activity;
  const [title, meaning] = labels.latencySteps[step];
  const spread = spreadOf(durations);
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{title}</h3>
      <p className={clsx(layout.faint, layout.small)}>{meaning}</p>
      {spread === null ? (
        <p className={layout.soft}>{labels.noLatency}</p>
      ) : (
        <>
          <p className={styles.latencyMedian}>
            <b>{formatDuration(spread.median)}</b> <span className={layout.faint}>{labels.median}</span>
          </p>
          <Bars durations={durations} />
          <p className={clsx(layout.faint, layout.small)}>
            {labels.p95} {formatDuration(spread.p95)} · {labels.max} {formatDuration(spread.max)} ·{" "}
            {labels.sampleSize(spread.count)}
          </p>
        </>
      )}
    </section>
  );
}

function Bars({ durations }: { readonly durations: readonly number[] }): ReactElement {
  const counts = countByClass(durations, bounds);
  const most = Math.max(...counts, 1);
  const labels = pageStrings.activity;
  return (
    <ol className={clsx(styles.bars, styles.low)}>
      {counts.map((count, at) => {
        const name = labels.latencyClasses[at] ?? "";
        const text = labels.latencyBar(count, name);
        return (
          <li
            key={name}
            title={text}
            data-empty={count === 0}
            style={{ height: `${((count / most) * 100).toString()}%` }}
          >
            {count > 0 && <span className={layout.visuallyHidden}>{text}</span>}
          </li>
        );
      })}
    </ol>
  );
}
