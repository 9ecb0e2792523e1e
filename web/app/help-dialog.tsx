import type { ReactElement } from "react";
import { Dialog } from "../shared/dialog.tsx";
import tableStyles from "../shared/table.module.css";
import { strings } from "../strings.ts";
import styles from "./help-dialog.module.css";

/** Dialog that lists the keyboard shortcuts. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={strings.help.title} onClose={onClose}>
      <table className={tableStyles.table}>
        <tbody>
          {strings.help.rows.map(([keys, meaning]) => (
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
    </Dialog>
  );
}
