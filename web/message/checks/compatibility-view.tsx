import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useCompatibility } from "../../api/checks.ts";
import badgeStyles from "../../shared/badge.module.css";
import { ErrorNotice } from "../../shared/notice.tsx";
import { SelectField } from "../../shared/field.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import { strings } from "../../strings.ts";
import type { Compatibility } from "../../wire.ts";
import styles from "./checks-view.module.css";

const labels = pageStrings.compatibility;

/** Share of an email's features that each email client supports, and the features that one client or any of them lacks. */
export function CompatibilityView({ id }: { readonly id: string }): ReactElement {
  const { data: report, error, refetch } = useCompatibility(id);
  const [client, setClient] = useState("");
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (report === undefined) return <p className={layout.faint}>{strings.loading}</p>;
  if (report === null) return <p className={layout.faint}>{labels.none}</p>;
  const { shares } = report;
  const mean = shares.reduce((sum, { share }) => sum + share, 0) / shares.length;
  const shown = report.features.filter(
    ({ unsupported, partial }) => client === "" || [...unsupported, ...partial].includes(client),
  );
  return (
    <>
      <p>{labels.mean(percentOf(mean), shares.length)}</p>
      <ul className={styles.clients}>
        {shares.map(({ name, share }) => (
          <li key={name}>
            <span className={layout.clip}>{name}</span>
            <meter min={0} max={1} low={0.75} high={0.9} optimum={1} value={share} aria-label={name} />
            <span>{percentOf(share)}</span>
          </li>
        ))}
      </ul>
      <div className={styles.choice}>
        <SelectField
          label={labels.client}
          value={client}
          options={[["", labels.all], ...report.clients.map((name) => [name, name] as const)]}
          onChange={setClient}
        />
      </div>
      {shown.length === 0 && <p className={layout.faint}>{labels.supported(client)}</p>}
      <ul className={styles.verdicts}>
        {shown.map((feature) => (
          <FeatureItem key={feature.title} feature={feature} client={client} />
        ))}
      </ul>
    </>
  );
}

/** A feature with the clients that lack it, or how one of them does. */
function FeatureItem(props: {
  readonly feature: Compatibility["features"][number];
  readonly client: string;
}): ReactElement {
  const { title, url, unsupported, partial } = props.feature;
  const isLacked = props.client === "" ? unsupported.length > 0 : unsupported.includes(props.client);
  const severity = isLacked ? "warning" : "info";
  return (
    <li>
      <span className={badgeStyles.badge} data-result={severity}>
        {isLacked ? labels.unsupported : labels.partial}
      </span>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {title}
      </a>
      {props.client === "" && (
        <span className={clsx(styles.more, layout.soft)}>
          {unsupported.length > 0 && labels.lackedBy(unsupported.join(", "))}{" "}
          {partial.length > 0 && labels.partialIn(partial.join(", "))}
        </span>
      )}
    </li>
  );
}

function percentOf(share: number): string {
  return `${Math.floor(share * 100).toString()} %`;
}
