import { clsx } from "clsx";
import { Fragment, type ReactElement } from "react";
import { useProviderLabel } from "../../api/session.ts";
import { CopyButton } from "../../shared/copy.tsx";
import { formatInstant } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import tableStyles from "../../shared/table.module.css";
import { strings } from "../../strings.ts";
import type { ProviderOrigin } from "../../wire.ts";
import styles from "../message-pane.module.css";

/** Facts of the provider's API about a message: id, schedule, tags, metadata and template. */
export function ProviderView({ provider }: { readonly provider: ProviderOrigin }): ReactElement {
  const { name, id, scheduledAt, tags, metadata, template } = provider;
  const labels = strings.provider;
  const pairs = [
    ...(scheduledAt === null ? [] : [[labels.scheduledAt, formatInstant(scheduledAt)] as const]),
    ...(tags.length === 0 ? [] : [[labels.tags, tags.join(", ")] as const]),
    ...Object.entries(metadata),
    ...(template === null ? [] : [[labels.template, template.id] as const]),
  ];
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title(useProviderLabel(name))}</h3>
      <dl className={tableStyles.pairs}>
        <dt>{labels.id}</dt>
        <dd className={layout.row}>
          <code>{id}</code>
          <CopyButton text={id} name={labels.id} />
        </dd>
        {pairs.map(([term, text], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- metadata may have the name of another pair
          <Fragment key={at}>
            <dt>{term}</dt>
            <dd className={layout.mono}>{text}</dd>
          </Fragment>
        ))}
      </dl>
      {template !== null && (
        <>
          <h4>{labels.data}</h4>
          <pre className={styles.plain}>{JSON.stringify(template.data, null, 2)}</pre>
        </>
      )}
    </section>
  );
}
