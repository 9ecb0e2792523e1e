import type { ReactElement } from "react";
import { strings } from "../strings.ts";
import { KeyTable } from "../keys/key-table.tsx";

/** All keys of the account. */
export function KeysPage(): ReactElement {
  return (
    <main className="page" id="content">
      <div className="page-inner">
        <div className="stack tight">
          <h1>{strings.keys.title}</h1>
          <p className="soft">{strings.keys.lead}</p>
        </div>
        <section className="panel">
          <KeyTable server={null} />
        </section>
      </div>
    </main>
  );
}
