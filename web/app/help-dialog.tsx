import type { ReactElement } from "react";
import { Dialog } from "../shared/dialog.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import { strings } from "../strings.ts";
import styles from "./help-dialog.module.css";
import type { View, Views } from "./views.tsx";

/** Dialog that lists the keyboard shortcuts. */
export function HelpDialog(props: Views & { readonly onClose: () => void }): ReactElement {
  const { serverViews, accountViews, onClose } = props;
  const labels = pageStrings.help;
  const home = ["g h", strings.shell.allServers] as const;
  return (
    <Dialog title={labels.title} isLarge onClose={onClose}>
      <div className={styles.groups}>
        <Keys title={labels.messages} rows={labels.rows} />
        <div>
          <Keys title={labels.serverPages} rows={[...serverViews.map(rowOf), home]} />
          {accountViews.length > 0 && <Keys title={labels.accountPages} rows={accountViews.map(rowOf)} />}
        </div>
      </div>
    </Dialog>
  );
}

function rowOf({ key, name }: View): readonly [keys: string, meaning: string] {
  return [`g ${key}`, name];
}

function Keys(props: {
  readonly title: string;
  readonly rows: readonly (readonly [keys: string, meaning: string])[];
}): ReactElement {
  const { title, rows } = props;
  return (
    <section>
      <h3>{title}</h3>
      <table className={tableStyles.table} aria-label={title}>
        <tbody>
          {rows.map(([keys, meaning]) => (
            <tr key={keys}>
              <td className={styles.keys}>
                {keys.split(" / ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
