import type { ReactElement } from "react";
import { Dialog } from "../shared/dialog.tsx";
import { strings } from "../strings.ts";

/** What the keyboard can do. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={strings.help.title} onClose={onClose}>
      <table className="table">
        <tbody>
          {strings.help.rows.map(([keys, meaning]) => (
            <tr key={keys}>
              <td>
                {keys.split(" / ").map((key) => (
                  <kbd key={key} style={{ marginInlineEnd: 4 }}>
                    {key}
                  </kbd>
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
